// Points: the target values of the groups, for losses that a mean and a scatter do not tell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace optitree {

// What an error costs. Squared error, or a price per unit that depends on its direction: a
// prediction m costs below * (m - y) for every target y < m and above * (y - m) for every y > m.
// Absolute error has both rates 1, the loss of the quantile q has below = 1 - q and above = q.
struct Loss {
  double below = 0;
  double above = 0;

  bool squared() const { return above == 0; }
};

// A value of the target in a group, and the weight of the rows that have it.
struct Point {
  double value;
  double weight;
  std::uint32_t group;
};

// Points of a problem by their numbers, ascending: in order of their values.
using PointList = std::span<const std::uint32_t>;

// The best single prediction for some points, the lowest of them if there are several.
struct Prediction {
  double value;
  double loss;
  // Away from `value` the loss grows by at least this per unit, in either direction: it is convex.
  double slope;
};
// `points` are not empty and ascend in value.
Prediction predict(std::span<const Point> points, const Loss& loss);

}  // namespace optitree
