#include "search/bounds_by_regularization.hpp"

#include <algorithm>

namespace optitree {

namespace {

double on_line(double a, double lower_a, double b, double lower_b, double r) {
  return lower_a + (lower_b - lower_a) * ((r - a) / (b - a));
}

}  // namespace

double BoundsByRegularization::change(double lower, double from, double to) {
  if (lower > at(from)) add({from, lower});
  return at(to);
}

// When there is no room, the one goes that stands out least above its neighbours.
void BoundsByRegularization::add(const LowerAt& added) {
  LowerAt all[kMost + 1];
  std::size_t count = 0, before = 0;
  while (before < size_ && known_[before].regularization < added.regularization) {
    all[count++] = known_[before++];
  }
  all[count++] = added;
  if (before < size_ && known_[before].regularization == added.regularization) {
    all[count - 1].lower = std::max(added.lower, known_[before++].lower);
  }
  while (before < size_) all[count++] = known_[before++];
  if (count > kMost) {
    std::size_t least = 1;
    double least_gain = 0;
    for (std::size_t k = 1; k + 1 < count; ++k) {
      const double gain = all[k].lower - on_line(all[k - 1].regularization, all[k - 1].lower,
                                                 all[k + 1].regularization, all[k + 1].lower,
                                                 all[k].regularization);
      if (k == 1 || gain < least_gain) least = k, least_gain = gain;
    }
    std::copy(all + least + 1, all + count, all + least);
    --count;
  }
  std::copy(all, all + count, known_);
  size_ = count;
}

double BoundsByRegularization::at(double r) const {
  double best = 0;
  for (std::size_t k = 0; k < size_; ++k) {
    const LowerAt& right = known_[k];
    if (right.regularization <= r) {
      best = std::max(best, right.lower + (r - right.regularization));
      continue;
    }
    best = std::max(best, right.lower * (r / right.regularization));
    for (std::size_t l = 0; l < size_ && known_[l].regularization < r; ++l) {
      const LowerAt& left = known_[l];
      best = std::max(
          best, on_line(left.regularization, left.lower, right.regularization, right.lower, r));
    }
  }
  return best;
}

}  // namespace optitree
