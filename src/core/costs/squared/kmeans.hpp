// k-Means Equivalent Points Lower Bound (Theorems 3.4 to 3.7 of the paper), penalised form.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/problem.hpp"

namespace optitree {

// A tree with C leaves on a support puts its groups into C clusters, so its cost is at least
//   min over C of  lambda C + (best one-dimensional clustering of the group means into C clusters).
// The minimum over C needs no pass for each C: with the groups in order of their means, best
// clusterings are contiguous, and f(j) = min over i <= j of f(i - 1) + SSE(i..j) + lambda is one
// pass.
//
// Large supports are put into at most kMostBuckets buckets of neighbouring groups first. The bound
// on buckets stays valid because a cluster i..j is charged for its inner buckets in full, and for
// its first (last) bucket as if all of it stood at the bucket's largest (smallest) mean:
//   1. A best clustering cuts some buckets. Moving the part of a cut bucket that belongs to the
//      cluster on its left down to the bucket's smallest mean moves the cluster's largest points
//      towards its other points: all pairwise distances shrink, so does SSE = sum of w_a w_b
//      (x_a - x_b)² / sum w. The same holds for the part on the right, moved up.
//   2. With those points fixed, the SSE of a cluster as a function of the weight t placed at one
//      point x is SSE + W t / (W + t) (x - mean)², concave in t. The total is concave in each share
//      of each cut bucket, so it is smallest where every cut bucket belongs to one side whole.
//   3. A cluster inside one bucket costs lambda at least, as does the bucket as a cluster alone.
//   4. An end bucket that was not cut costs no less than when moved, by the argument of 1.
// With at most kMostBuckets groups a bucket is one group and the bound is exact.
inline constexpr std::size_t kMostBuckets = 48;

// Lower bound on the cost of every tree on the support, `members` ascending and not empty.
double kmeans_bound(const Problem& problem, Members members);

}  // namespace optitree
