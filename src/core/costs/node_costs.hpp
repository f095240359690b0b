// What a loss measures at a node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "costs/side_costs.hpp"
#include "problem/axis.hpp"
#include "problem/pair_table.hpp"
#include "problem/problem.hpp"

namespace optitree {

// A support as a loss sees it.
struct Region {
  PointList points;        // under losses that need them
  const PairTable& pairs;  // its pair statistics,
  const Axis& axis;        // the features at their positions,
  Cell total;              // the statistics of all of it,
  double leaf;             // and its cost as a leaf
};

// One for each thread, with scratch of its own. Called once a node, never once a pair.
class NodeCosts {
 public:
  virtual ~NodeCosts() = default;

  // Fills the costs of both sides of every position, each of which can split the support, for trees
  // of so much depth; `deeper` only where it is more than two.
  //
  // deeper: a tree on a side with at least three leaves splits it by some h and splits at least one
  // of the two quadrants q, q' again. The quadrant that is split costs at least 2 lambda, the other
  // at least min(c, 2 lambda) (split_cost), and neither costs less than its prices: together the
  // smaller of split(q) + any(q') and any(q) + split(q') with
  //   split(q) = max(2 lambda, price(q)),  any(q) = max(min(c(q), 2 lambda), price(q)),
  // minimised over h. It assumes nothing about limits on depth or leaf size other than that
  // infeasible quadrants are excluded.
  //
  // False if it was halted. All costs are then valid still, but stumps may be missing (infinite);
  // `deeper` is a bound on those too. A loss may leave a side that is best as a leaf unmeasured in
  // the same way.
  virtual bool measure(const Region& region, Depth depth, SideCosts& costs) = 0;

  // The best tree with at most two splits on the way to a leaf. There may be positions that cannot
  // split the support. Nothing if it was halted.
  virtual std::optional<DepthTwo> best_of_depth_two(const Region& region) = 0;

  // The same for the children of a support, all at once, where that is less work than `otherwise`
  // (in nanoseconds): for the positions that are wanted, on both sides. False if it is not, or if
  // the search was stopped; a pause is not heeded, since half of it is worth nothing.
  virtual bool measure_children(const Region&, Members, const std::vector<bool>& /*wanted*/,
                                double /*otherwise*/) {
    return false;
  }
  // One of them, as it was measured last.
  virtual DepthTwo best_of_child(const Region&, std::uint32_t /*position*/, int /*side*/) {
    return {};
  }

  // For each position, what one side of the position `first` costs as two leaves.
  virtual const std::vector<double>& two_leaves(const Region& region, std::uint32_t first,
                                                int side) = 0;

  // A lower bound on the cost of every tree on a support, from the best clustering of its groups
  // along the target; bounds of `most` or more need not be told apart.
  virtual double clustering_bound(Members members, PointList points, double most) = 0;
  // The clustering bound costs about as much as opening a small node, and never exceeds the upper
  // bound. It is worth trying where the budget lies in this lowest share between the bounds.
  virtual double clustering_share() const = 0;
};

}  // namespace optitree
