// k-Medians Lower Bound: the counterpart of kmeans.hpp for pinball losses.
#pragma once

#include <cstddef>
#include <vector>

#include "common/sum.hpp"
#include "costs/pinball/best_prediction.hpp"
#include "problem/problem.hpp"

namespace optitree {

// A tree with C leaves on a support puts its groups, and so its points, into C clusters. It costs
// at least the least of lambda C + (best clustering into C clusters) of either relaxation:
//   1. The points, free of their groups, less the floor of the support: costs are counted above it.
//   2. The groups as points of their own. The loss of a group is convex in the prediction, least
//      (its floor) at its own prediction z, and grows away from there by at least its slope v in
//      both directions: above the floor a group costs at least v |m - z|.
// If groups hold one point each, both are the same but for the rates, and the first is exact.
//
// Best clusterings are contiguous: of two predictions a < b, what a costs more than b for a target
// y never falls as y grows, so that all targets below some threshold prefer a, all above it b. With
// the points in order, f(j) = min over i <= j of f(i - 1) + cost(i..j) + lambda is one pass.
//
// Large supports are put into at most kMostMedianBuckets buckets of neighbours first. A cluster
// i..j is charged for its inner buckets in full, and for its first (last) bucket as if all of it
// stood at the bucket's largest (smallest) value. This is still a lower bound:
//   1. A best clustering cuts some buckets. Move the part of a cut bucket that belongs to the
//      cluster on its left, the largest points of that cluster, down to the bucket's smallest
//      value, still no less than the cluster's others. The cost is the integral of min(over C(t),
//      under (W - C(t))) (pinball/depth_two.hpp); C stays the same below that value and is W from
//      there on, so the cost does not grow. The part on the right is moved up likewise.
//   2. With its points fixed, the cost of a cluster is a minimum over m of functions linear in the
//      weights, so it is concave in them. The total is concave in the shares of each cut bucket and
//      least where each belongs to one side whole.
//   3. A cluster inside one bucket costs lambda at least, as does the bucket as a cluster alone.
//   4. An end bucket that was not cut costs no less than when moved, by the argument of 1.
//
// Costs of clusters are differences of sums over all points before them. Where the rates are far
// apart these sums are far larger than the cost, and so is what rounding leaves of them: a cluster
// is charged less by as much.
inline constexpr std::size_t kMostMedianBuckets = 48;

class KMedians {
 public:
  KMedians(const Problem& problem, const PinballRates& rates) : problem_(problem), rates_(rates) {}

  // Lower bound on the cost of every tree on a support, `members` and `points` ascending and not
  // empty. Bounds of `most` or more are not told apart.
  double bound(Members members, PointList points, double most);
  // About the nanoseconds that takes.
  static std::size_t work(Members members, PointList points) {
    return 4 * (members.size() + points.size()) + 4000;
  }

 private:
  void begin(std::size_t count);
  void add(double value, double weight);
  double cluster(const PinballRates& rates, double most);

  const Problem& problem_;
  const PinballRates rates_;
  // By point: its value, and the weight and the sum of weight * value of all before it.
  std::size_t count_ = 0;
  std::vector<double> value_, weight_, sum_;
  CompensatedSum total_;      // the last sum
  double magnitude_ = 0;      // no sum is larger
  std::vector<double> best_;  // by bucket
};

}  // namespace optitree
