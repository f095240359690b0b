#include "costs/pinball/pinball_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "common/sum.hpp"
#include "costs/pinball/depth_two.hpp"
#include "costs/pinball/kmedians.hpp"
#include "problem/exact_sums.hpp"

namespace optitree {

namespace {

class PinballNodeCosts : public NodeCosts {
 public:
  PinballNodeCosts(const Problem& problem, const PinballRates& rates, const Options& options,
                   Pace& pace)
      : pace_(pace), depth_two_(problem, rates, options, pace), kmedians_(problem, rates) {}

  bool measure(const Region& region, Depth depth, SideCosts& costs) override {
    return depth_two_.measure(region, depth, costs);
  }
  std::optional<DepthTwo> best_of_depth_two(const Region& region) override {
    return depth_two_.best(region);
  }
  const std::vector<double>& two_leaves(const Region& region, std::uint32_t first,
                                        int side) override {
    return depth_two_.two_leaves(region, first, side);
  }
  double clustering_bound(Members members, PointList points, double most) override {
    pace_.spend(KMedians::work(members, points));
    return kmedians_.bound(members, points, most);
  }
  // Opening a node takes longer than under squared error, so more pays.
  double clustering_share() const override { return 0.5; }

 private:
  Pace& pace_;
  DepthTwoAlongPoints depth_two_;
  KMedians kmedians_;
};

// The points of some groups of a table, as they are given, in order of their values. The caller's
// order leaves no trace.
template <typename Wanted>
std::vector<Point> sorted_points(const GroupData& table, Wanted wanted) {
  std::vector<Point> points;
  for (std::size_t k = 0; k < table.point_value.size(); ++k) {
    const std::uint32_t group = table.point_group[k];
    if (wanted(group)) points.push_back({table.point_value[k], table.point_weight[k], group});
  }
  std::ranges::sort(points, {},
                    [](const Point& point) { return std::tuple(point.value, point.weight); });
  return points;
}

// Puts the weights on a grid. Returns what that changes the loss of any tree by, at most.
RoundingError round_weights(std::vector<Point>& points, double grid, const PinballRates& rates) {
  RoundingError error;
  const double lowest = points.front().value, highest = points.back().value;
  for (Point& point : points) {
    const double rounded = std::max(round_to(point.weight, grid), grid);
    error.add(point.weight, std::abs(rounded - point.weight),
              std::max(rates.over * (highest - point.value), rates.under * (point.value - lowest)));
    point.weight = rounded;
  }
  return error;
}

}  // namespace

// Orders the points, lets each group predict for itself, scales so that the root loss is 1.
MeasuredGroups PinballLoss::measure(const GroupData& table, const LeafSize& leaf_size) const {
  CompensatedSum weight;
  for (const double w : table.point_weight) weight.add(w);
  const double weight_grid = grid_for(weight.value());
  MeasuredGroups measured;
  std::vector<Point>& points = measured.points = sorted_points(table, [](auto) { return true; });
  measured.root_loss = best_prediction(points, rates_).loss;
  measured.scale = measured.root_loss > 0 ? 1 / measured.root_loss : 0;
  const RoundingError error = round_weights(points, weight_grid, rates_);
  std::vector<std::vector<Point>> points_of_group(table.size());
  for (const Point& point : points) points_of_group[point.group].push_back(point);
  std::vector<BestPrediction> alone;
  std::vector<double> value;
  for (const std::vector<Point>& of_group : points_of_group) {
    alone.push_back(best_prediction(of_group, rates_));
    value.push_back(alone.back().value);
  }
  measured.original = sorted_by(table, value);
  std::vector<std::uint32_t> place(table.size());
  for (std::uint32_t i = 0; i < table.size(); ++i) place[measured.original[i]] = i;
  for (Point& point : points) point.group = place[point.group];
  std::ranges::sort(points, {}, [](const Point& point) {
    return std::tuple(point.value, point.group, point.weight);
  });

  const double floor_grid = grid_for(1);
  CompensatedSum floor;
  for (const std::uint32_t g : measured.original) {
    double w = 0;  // on the grid: exact
    for (const Point& point : points_of_group[g]) w += point.weight;
    const double of_group = round_to(alone[g].loss * measured.scale, floor_grid);
    measured.cells.push_back({Lanes{w, 0, of_group, leaf_size.last_lane(table.rows[g])}});
    floor.add(alone[g].loss);
    measured.mean.push_back(value[g]);
    measured.slope.push_back(std::floor(alone[g].slope / weight_grid) * weight_grid);
    measured.total = measured.total + measured.cells.back();
  }
  measured.floor = floor.value();
  measured.root_excess =
      best_prediction(points, rates_).loss * measured.scale - measured.total.square();
  // Each floor is rounded, and each term of the sum that measures a leaf.
  measured.error =
      measured.scale * error.of(measured.root_loss) +
      static_cast<double>(table.size() + points.size()) * std::numeric_limits<double>::epsilon();
  return measured;
}

Prediction PinballLoss::predict(Members members, const Problem& problem,
                                const GroupData& table) const {
  std::vector<bool> wanted(problem.groups(), false);
  for (const std::uint32_t g : members) wanted[problem.original(g)] = true;
  const auto points = sorted_points(table, [&](std::uint32_t g) { return wanted[g]; });
  const BestPrediction best = best_prediction(points, rates_);
  return {best.value, best.loss};
}

std::unique_ptr<NodeCosts> PinballLoss::node_costs(const Problem& problem, const Options& options,
                                                   Pace& pace) const {
  return std::make_unique<PinballNodeCosts>(problem, rates_, options, pace);
}

}  // namespace optitree
