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
  if (proving) root_.raise(lower);
}

Bounds Shared::root() const {
  const std::lock_guard lock(mutex_);
  return root_;
}

void Shared::restart(const Bounds& known) {
  const std::lock_guard lock(mutex_);
  root_ = {0, known.upper, known.height, known.leaves};
  goal = known.upper;
  unwind = false;
}

}  // namespace optitree
