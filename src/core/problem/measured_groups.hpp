// The groups as a loss sees them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/cell.hpp"
#include "problem/group_data.hpp"
#include "problem/restrictions.hpp"
#include "problem/target_points.hpp"

namespace optitree {

// Groups are numbered in the order of what each alone would predict. Cells are scaled so that the
// root loss is 1, and add up without rounding (problem/exact_sums.hpp).
struct MeasuredGroups {
  std::vector<std::uint32_t> original;  // the caller's number of each group
  std::vector<Cell> cells;
  std::vector<double> mean;  // what a group alone would predict, the lowest if there are several
  Cell total;                // of all cells
  // Loss inside the groups, which no tree removes, and loss of the best single leaf; unscaled sums.
  double floor = 0;
  double root_loss = 0;
  double root_excess = 0;  // the root loss above the floor, as the search counts it
  // What rounding has changed the cost of any tree by, at most (problem/exact_sums.hpp).
  double error = 0;
  bool priced = false;  // whether prices can be made for this loss

  // Only for losses that are measured along the points: these, in order of their values, which are
  // the caller's; what scales their differences; and the slope of each group's loss.
  std::vector<Point> points;
  double scale = 0;
  std::vector<double> slope;
};

// The groups of a table by `mean`, then by bits: the caller's order leaves no trace.
std::vector<std::uint32_t> sorted_by(const GroupData& table, std::span<const double> mean);

}  // namespace optitree
