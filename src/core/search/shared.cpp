#include "search/shared.hpp"

#include <algorithm>

namespace optitree {

void Shared::begin(double leaf) {
  const std::lock_guard lock(mutex_);
  root_ = {std::min(leaf, split_cost(problem.regularization(), options)), leaf};
}

void Shared::report(const Bounds& bounds, double lower) {
  const std::lock_guard lock(mutex_);
  root_.improve(bounds);
  root_.raise(lower);
}

Bounds Shared::root() const {
  const std::lock_guard lock(mutex_);
  return root_;
}

double Shared::relative_gap() const {
  const Bounds known = root();
  return (known.upper - known.lower) / (known.upper + problem.floor_share());
}

void Shared::prove_depth(Depth depth, double lower) {
  const std::lock_guard lock(mutex_);
  rungs_.push_back({depth, lower});
}

Depth Shared::proven_depth(double cost) const {
  const std::lock_guard lock(mutex_);
  Depth proven = 0;
  for (const Rung& rung : rungs_) {
    if (!strictly_better(rung.lower, cost)) proven = std::max(proven, rung.depth);
  }
  return proven;
}

void Shared::restart(const Bounds& known) {
  const std::lock_guard lock(mutex_);
  root_ = {0, known.upper, known.height, known.leaves};
  goal = known.upper;
  rungs_.clear();
  unwind = false;
}

}  // namespace optitree
