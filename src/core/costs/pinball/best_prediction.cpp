#include "costs/pinball/best_prediction.hpp"

#include <algorithm>

#include "common/sum.hpp"

namespace optitree {

namespace {

// Where the weights on both sides balance but for rounding, the lower value is the prediction.
constexpr double kBalance = 1 - 1e-12;

}  // namespace

// The loss falls up to the first value at which what lies at or below it outweighs what lies above.
BestPrediction best_prediction(std::span<const Point> points, const PinballRates& rates) {
  CompensatedSum weight;
  for (const Point& point : points) weight.add(point.weight);
  const double all = weight.value();
  CompensatedSum upto;
  double before = 0;  // the weight strictly below the value
  std::size_t end = 0;
  double value = points.front().value;
  while (end < points.size()) {
    before = upto.value();
    value = points[end].value;
    for (; end < points.size() && points[end].value == value; ++end) upto.add(points[end].weight);
    if (rates.over * upto.value() >= rates.under * (all - upto.value()) * kBalance) break;
  }
  CompensatedSum cost;
  for (const Point& point : points) {
    cost.add(point.value < value ? rates.over * point.weight * (value - point.value)
                                 : rates.under * point.weight * (point.value - value));
  }
  const double up = rates.over * upto.value() - rates.under * (all - upto.value());
  const double down = rates.under * (all - before) - rates.over * before;
  return {value, cost.value(), std::max(0.0, std::min(up, down))};
}

}  // namespace optitree
