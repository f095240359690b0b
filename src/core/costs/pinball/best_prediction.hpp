// The best single prediction for some points under a pinball loss.
#pragma once

#include <span>

#include "problem/target_points.hpp"

namespace optitree {

// What a unit of error costs: of a prediction over the target, and of one under it. Absolute error
// has both rates 1, the loss of the quantile q has over = 1 - q and under = q.
struct PinballRates {
  double over;
  double under;
};

// The best prediction, the lowest of them if there are several.
struct BestPrediction {
  double value;
  double loss;
  // Away from `value` the loss grows by at least this per unit, in either direction: it is convex.
  double slope;
};
// `points` are not empty and ascend in value.
BestPrediction best_prediction(std::span<const Point> points, const PinballRates& rates);

}  // namespace optitree
