// Bounds that follow from the number of leaves alone. docs/theory.md maps every theorem to its
// function and its test; bounds that need more stand where they act.
//
// Every cost here is counted above the floor: the loss inside groups of equal rows is left out of
// all costs and added to the final objective. Working above the floor is the Equivalent Points
// Lower Bound (Theorem 3.3): whatever is split, the loss inside a group stays.
//
// Notation: lambda = regularization, c(Q) = lambda + between-group loss of Q, the cost of a leaf on
// the support Q; V(Q) = cost of the best tree on Q under the limits that remain.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/options.hpp"
#include "problem/problem.hpp"

namespace optitree {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Objective Lower Bound with One-step Lookahead (Theorem 3.2) and Incremental Progress Bound: a
// tree that splits Q has at least two leaves and no negative loss, so it costs at least 2 lambda.
// Hence V(Q) >= min(c(Q), 2 lambda), and a leaf with c(Q) <= 2 lambda is never split. Switched off,
// all that is known is that a tree has a leaf.
inline double split_cost(double lambda, const Options& options) {
  return options.lookahead ? 2 * lambda : lambda;
}

// Upper Bound on the Number of Leaves: a tree cheaper than `cost` has fewer than cost / lambda
// leaves, and a binary tree with H leaves has depth at most H - 1. A limit at or above that depth
// changes nothing.
inline Depth deepest_useful(double cost, double lambda, const Options& options) {
  if (!options.leaf_count || lambda <= 0) return kNoDepthLimit;
  const double leaves = std::floor((cost + kTolerance) / lambda + 1e-9);
  return leaves > 60000 ? kNoDepthLimit : static_cast<Depth>(std::max(leaves - 1, 0.0));
}

// A depth limit that cannot bind is no limit: a support of n groups has trees of depth at most
// n - 1, no feature is asked twice on the way to a leaf, and deepest_useful() caps what can be
// better than `upper`. Subproblems that differ only in such limits share one entry of the cache.
inline Depth effective_depth(Depth depth, std::size_t groups, std::size_t features, double upper,
                             double lambda, const Options& options) {
  const std::size_t possible = std::min(groups > 0 ? groups - 1 : 0, features);
  if (depth >= possible || depth >= deepest_useful(upper, lambda, options)) return kNoDepthLimit;
  return depth;
}

}  // namespace optitree
