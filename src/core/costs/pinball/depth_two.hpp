// Costs of leaves under absolute error and its relatives, by walks along the points of a support.
//
// With C(t) the weight of the points at or below t, and W that of all, a prediction m costs
//   integral over t < m of below C(t)  +  integral over t > m of above (W - C(t)),
// because a point y < m is counted in C(t) all the way from y to m, and a point y > m in W - C(t)
// all the way from m to y. Neither integrand can be less than the smaller of the two, and since one
// rises and the other falls there is an m at which it is the smaller everywhere. So a leaf costs
//   integral over t of min(below C(t), above (W - C(t))),
// a sum over the gaps between neighbouring values. All terms are positive: nothing cancels. For a
// side of a split C is the weight on that side alone; one walk serves both sides of every feature.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "costs/squared/depth_two.hpp"
#include "problem/pair_table.hpp"
#include "problem/problem.hpp"

namespace optitree {

// A support with what is needed to walk along it.
struct Region {
  PointList points;
  const PairTable& table;                  // its pair statistics,
  const std::vector<std::uint32_t>& axis;  // the features in their rows,
  Cell total;                              // and the statistics of all of it
};

class Walks {
 public:
  Walks(const Problem& problem, const Options& options, Pace& pace)
      : problem_(problem), options_(options), pace_(pace) {}

  // Fills the costs of the sides of every row, each of which can split the support, for trees of so
  // many levels. SideCosts says what they are. A side that costs no more than split_cost() as a
  // leaf is best left a leaf; nothing more is measured there: `stump` is infinite, and `deeper` is
  // split_cost(), which holds for stumps too.
  // False if it was halted; what is there then still holds, `deeper` for stumps too.
  bool measure(const Region& region, Depth depth, SideCosts& costs);

  // The cost of the best tree with at most two splits on a path; `leaf` is that of none. The table
  // may have rows that cannot split the support. Nothing if it was halted.
  std::optional<DepthTwo> best_of_depth_two(const Region& region, double leaf);

  // For each row, what one side of the row `first` costs as two leaves.
  const std::vector<double>& two_leaves(const Region& region, std::uint32_t first, int side);

 private:
  // Points side by side: their weights, the gaps to the next value, their bits by position.
  struct Steps {
    std::size_t count = 0;
    std::vector<double> weight, gap;
    std::vector<std::uint64_t> bits;

    void finish(std::size_t steps, double scale);
  };
  // The rows that are looked at, each with the cell where its feature is 1, and what the two sides
  // cost as leaves: infinite if one of them may not be a leaf.
  struct Sides {
    std::vector<Cell> ones;
    std::vector<double> weight;  // of the ones
    std::vector<double> cost[2];
  };

  void take_rows(const Region& region, bool all);
  void load(const Region& region);
  void part(std::size_t position);
  void walk(const Steps& steps, const Cell& total, std::size_t from, Sides& sides);
  void walk_side(const Region& region, std::size_t first, int side, std::size_t from);
  void measure_leaves(const Region& region, SideCosts& costs);
  template <typename Alive>
  std::size_t put_first(Alive alive);
  bool measure_below(const Region& region, std::size_t alive, bool want_deeper, SideCosts& costs);

  const Problem& problem_;
  const Options& options_;
  Pace& pace_;
  std::vector<std::uint32_t> rows_;      // of the table, in the order of their positions
  std::vector<std::uint32_t> position_;  // of a feature among them
  std::vector<std::uint64_t> mask_;      // their features
  std::size_t words_ = 0;                // of the bits of a point
  std::size_t count_ = 0;                // of the points of the support
  std::vector<double> value_, weight_;   // by point
  std::vector<std::uint64_t> bits_;
  Steps steps_[2];
  Sides all_, sides_[2];
  SideCosts terminal_;
  std::vector<double> two_leaves_;
};

}  // namespace optitree
