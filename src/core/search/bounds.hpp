// What is known of the best tree on a support.
#pragma once

#include <algorithm>
#include <cstdint>

#include "costs/leaf_bounds.hpp"
#include "problem/problem.hpp"

namespace optitree {

struct Bounds {
  double lower = 0;
  double upper = kInfinity;
  Depth height = 0;          // no less than the depth of some tree that costs `upper`
  std::uint32_t leaves = 1;  // of such a tree

  bool solved() const { return !strictly_better(lower, upper); }
  void improve(double cost, Depth tree_height, std::uint32_t tree_leaves) {
    if (cost < upper) upper = cost, height = tree_height, leaves = tree_leaves;
  }
  void improve(const Bounds& other) { improve(other.upper, other.height, other.leaves); }
  void raise(double bound) { lower = std::max(lower, std::min(bound, upper)); }
  // Whether they have met but for what rounding does on the way to the root. A finished search
  // whose bounds have not has proven nothing.
  bool closed() const { return upper - lower <= 1e-9 * std::max(1.0, upper); }
  // Bounds that have met become equal. Otherwise their differences, each too small to count, would
  // add up on the way to the root to one that counts, and that no search can close any more.
  void settle() {
    if (solved()) lower = upper;
  }
  void tighten(const Bounds& other) {
    improve(other);
    raise(other.lower);
  }
};

}  // namespace optitree
