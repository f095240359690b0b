#include "costs/pinball/kmedians.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "costs/leaf_bounds.hpp"

namespace optitree {

namespace {

// Of the largest sum: two sums, two ends and two products are rounded.
constexpr double kLost = 8 * std::numeric_limits<double>::epsilon();

}  // namespace

void KMedians::begin(std::size_t count) {
  count_ = 0;
  for (auto* values : {&value_, &weight_, &sum_}) {
    if (values->size() <= count) values->resize(count + 1);
  }
  weight_[0] = sum_[0] = 0;
  total_ = {};
  magnitude_ = 0;
}

void KMedians::add(double value, double weight) {
  value_[count_] = value;
  weight_[count_ + 1] = weight_[count_] + weight;
  total_.add(weight * value);
  sum_[count_ + 1] = total_.value();
  magnitude_ += std::abs(weight * value);
  ++count_;
}

// Every cluster that starts with a bucket, before the next: its best prediction moves up as it
// grows.
double KMedians::cluster(const PinballRates& rates, double most) {
  const double lambda = problem_.regularization();
  const std::size_t buckets = std::min(count_, kMostMedianBuckets);
  const auto begin_of = [&](std::size_t bucket) { return count_ * bucket / buckets; };
  const double lost = kLost * magnitude_ * (rates.over + rates.under);
  best_.assign(buckets + 1, most);
  best_[0] = 0;
  for (std::size_t i = 0; i < buckets; ++i) {
    const double start = best_[i] + lambda;
    if (start >= most) continue;
    best_[i + 1] = std::min(best_[i + 1], start);  // alone
    const std::size_t begin = begin_of(i), first_end = begin_of(i + 1);
    const double first_weight = weight_[first_end] - weight_[begin];
    const double first_sum = first_weight * value_[first_end - 1];
    std::size_t k = first_end - 1;
    for (std::size_t j = i + 1; j < buckets; ++j) {
      const std::size_t last = begin_of(j), end = begin_of(j + 1);
      const auto balanced = [&] {
        return rates.over * (weight_[k + 1] - weight_[begin]) >=
               rates.under * (weight_[end] - weight_[k + 1]);
      };
      while (k < last && !balanced()) ++k;
      const double m = value_[k];
      const std::size_t upto = std::min(k + 1, last);
      const double last_sum = (weight_[end] - weight_[last]) * value_[last];
      const double below =
          m * (weight_[upto] - weight_[begin]) - (sum_[upto] - sum_[first_end] + first_sum);
      const double above =
          (sum_[last] - sum_[upto] + last_sum) - m * (weight_[end] - weight_[upto]);
      const double cost = start + std::max(rates.over * below + rates.under * above - lost, 0.0);
      if (cost >= most) break;  // larger clusters cost no less
      best_[j + 1] = std::min(best_[j + 1], cost);
    }
  }
  return best_[buckets];
}

// Values are measured from about the best prediction for all, which keeps sums small.
double KMedians::bound(Members members, PointList points, double most) {
  const std::vector<Point>& all = problem_.points();
  double floor = 0, weight = 0;
  for (const std::uint32_t g : members) {
    floor += problem_.cell(g).square();
    weight += problem_.cell(g).weight();
  }
  double origin = all[points.back()].value,
         left = weight * rates_.under / (rates_.under + rates_.over);
  for (const std::uint32_t point : points) {
    left -= all[point].weight;
    if (left > 0) continue;
    origin = all[point].value;
    break;
  }
  const double scale = problem_.scale();
  begin(points.size());
  for (const std::uint32_t point : points) {
    add((all[point].value - origin) * scale, all[point].weight);
  }
  const double free = cluster(rates_, most + floor) - floor;
  if (points.size() == members.size() || free >= most) return free;
  begin(members.size());
  for (const std::uint32_t g : members) {
    if (problem_.slope(g) > 0) add((problem_.mean(g) - origin) * scale, problem_.slope(g));
  }
  if (count_ == 0) return free;
  return std::max(free, cluster({1, 1}, most));
}

}  // namespace optitree
