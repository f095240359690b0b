#include "search/shared.hpp"

namespace optitree {

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
