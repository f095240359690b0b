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

void Shared::prove_depth(Depth depth) {
  const std::lock_guard lock(mutex_);
  proven_depth_ = std::max(proven_depth_, depth);
}

Depth Shared::proven_depth() const {
  const std::lock_guard lock(mutex_);
  return root_.solved() ? kNoDepthLimit : proven_depth_;
}

void Shared::restart(const Bounds& known) {
  const std::lock_guard lock(mutex_);
  root_ = {0, known.upper, known.height, known.leaves};
  goal = known.upper;
  proven_depth_ = 0;
  unwind = false;
}

}  // namespace optitree
