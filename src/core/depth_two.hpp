// The exact best trees of depth two on a support, from its pair statistics alone.
#pragma once

#include <vector>

#include "bounds.hpp"
#include "pairs.hpp"

namespace optitree {

// For one feature, the best that its two children can do. Side 1 is feature = 1, side 0 the rest.
struct alignas(32) SideCosts {
  Lanes lanes;

  // Cheapest split of the child into two leaves.
  double stump(int side) const { return lanes[1 - side]; }
  // Lower bound on every tree on the child with three or more leaves.
  double deeper(int side) const { return lanes[3 - side]; }
};

// Fills costs[f] for every row f of the table. `total` is the cell of the whole support. A split is
// allowed when both sides have at least min_samples_leaf rows; with no allowed split costs are
// infinite. `deeper` is filled only if `want_deeper`.
//
// deeper: a tree on a child with at least three leaves splits it by some h and splits at least one
// of the two quadrants q, q' again. The quadrant that is split costs at least 2 lambda, the other
// at least min(c, 2 lambda) (bounds.hpp: split_cost): together 2 lambda + min(min(c(q), 2 lambda),
// min(c(q'), 2 lambda)), minimised over h. It assumes nothing about limits on depth or leaf size
// other than that infeasible quadrants are excluded.
void depth_two(const PairTable& table, const Cell& total, const Problem& problem,
               const Options& options, bool want_deeper, std::vector<SideCosts>& costs);

// The cost of the best tree with at most two splits on a path; `costs` is scratch.
double best_of_depth_two(const PairTable& table, const Cell& total, const Problem& problem,
                         const Options& options, std::vector<SideCosts>& costs);

}  // namespace optitree
