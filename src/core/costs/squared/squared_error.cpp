#include "costs/squared/squared_error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/sum.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/squared/depth_two.hpp"
#include "costs/squared/greedy_tree.hpp"
#include "costs/squared/kmeans.hpp"
#include "costs/squared/leaf_cost.hpp"
#include "costs/squared/rounding.hpp"
#include "costs/squared/squared_exchange.hpp"
#include "costs/squared/squared_prices.hpp"
#include "costs/squared/three_splits.hpp"
#include "problem/exact_sums.hpp"

namespace optitree {

namespace {

class SquaredNodeCosts : public NodeCosts {
 public:
  SquaredNodeCosts(const Problem& problem, const Options& options, Pace& pace)
      : problem_(problem),
        pace_(pace),
        depth_two_(problem, options),
        three_splits_(problem, pace) {}

  bool measure(const Region& region, Depth depth, SideCosts& costs) override {
    depth_two_.measure(region, depth > 2, costs);
    pace_.spend(region.axis.size() * region.axis.size() * 4);
    return true;
  }

  std::optional<DepthTwo> best_of_depth_two(const Region& region) override {
    pace_.spend(region.axis.size() * region.axis.size() * 3);
    return depth_two_.best(region);
  }

  bool measure_children(const Region& region, Members members, const std::vector<bool>& wanted,
                        double otherwise) override {
    return three_splits_.work(region, members.size()) < otherwise &&
           three_splits_.measure(region, members, wanted);
  }
  DepthTwo best_of_child(const Region& region, std::uint32_t position, int side) override {
    return three_splits_.best(region, position, side);
  }

  const std::vector<double>& two_leaves(const Region& region, std::uint32_t first,
                                        int side) override {
    const double lambda = problem_.regularization();
    const Cell& with_first = region.pairs.diagonal(first);
    const Cell total = side == 1 ? with_first : region.total - with_first;
    two_leaves_.assign(region.axis.size(), kInfinity);
    for (std::size_t at = 0; at < two_leaves_.size(); ++at) {
      const Cell& both = region.pairs.at(first, at);
      const Cell ones = side == 1 ? both : region.pairs.diagonal(at) - both;
      const Cell zeros = total - ones;
      if (!problem_.can_be_leaf(ones) || !problem_.can_be_leaf(zeros)) continue;
      two_leaves_[at] = leaf_cost(ones, lambda) + leaf_cost(zeros, lambda);
    }
    return two_leaves_;
  }

  double clustering_bound(Members members, PointList, double) override {
    pace_.spend(members.size() + 1000);
    return kmeans_bound(problem_, members);
  }
  // It closed a third of the children whose budget lay in this share, but hardly one in a hundred
  // of the others.
  double clustering_share() const override { return 0.25; }

 private:
  const Problem& problem_;
  Pace& pace_;
  DepthTwoFromPairs depth_two_;
  ThreeSplits three_splits_;
  std::vector<double> two_leaves_;
};

// Where weights differ by many orders of magnitude the rounding moves the means of light groups.
// The k-means bound needs the groups in the order of the means it works with.
void restore_order(MeasuredGroups& measured) {
  std::vector<std::uint32_t> order(measured.mean.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return measured.mean[i]; });
  const auto arrange = [&](auto& values) {
    auto arranged = values;
    for (std::size_t i = 0; i < order.size(); ++i) arranged[i] = values[order[i]];
    values = std::move(arranged);
  };
  arrange(measured.original);
  arrange(measured.cells);
  arrange(measured.mean);
}

}  // namespace

// Centres the means, scales so that the root loss is 1, rounds to the grids.
MeasuredGroups SquaredError::measure(const GroupData& table, const LeafSize& leaf_size) const {
  MeasuredGroups measured;
  measured.priced = true;
  measured.original = sorted_by(table, table.mean);
  CompensatedSum weight, sum, floor;
  for (const std::uint32_t g : measured.original) {
    weight.add(table.weight[g]);
    sum.add(table.weight[g] * table.mean[g]);
    floor.add(table.scatter[g]);
  }
  const double centre = sum.value() / weight.value();
  CompensatedSum between, absolute, magnitude;
  for (const std::uint32_t g : measured.original) {
    const double deviation = table.mean[g] - centre;
    between.add(table.weight[g] * deviation * deviation);
    absolute.add(table.weight[g] * std::abs(deviation));
    magnitude.add(table.weight[g] * table.mean[g] * table.mean[g]);
  }
  measured.floor = floor.value();
  // What the rounding of the centre alone leaves of equal means is no loss.
  const bool constant = between.value() <= 1e-30 * magnitude.value();
  measured.root_loss = measured.floor + (constant ? 0 : between.value());

  const double scale = measured.root_loss > 0 ? std::sqrt(measured.root_loss) : 1;
  const double weight_grid = grid_for(weight.value());
  const double sum_grid = grid_for(absolute.value() / scale);
  const double square_grid = grid_for(1);
  for (const std::uint32_t g : measured.original) {
    const double w = std::max(round_to(table.weight[g], weight_grid), weight_grid);
    const double s = round_to(table.weight[g] * (table.mean[g] - centre) / scale, sum_grid);
    const double last = leaf_size.last_lane(table.rows[g]);
    measured.cells.push_back({Lanes{w, s, round_to(s * s / w, square_grid), last}});
    measured.mean.push_back(s / w);
    measured.total = measured.total + measured.cells.back();
  }
  measured.root_excess = leaf_cost(measured.total, 0);
  restore_order(measured);
  measured.error = rounding_error(table, measured, centre, scale);
  return measured;
}

Prediction SquaredError::predict(Members members, const Problem& problem,
                                 const GroupData& table) const {
  CompensatedSum weight, sum, loss;
  for (const std::uint32_t g : members) {
    const std::uint32_t original = problem.original(g);
    weight.add(table.weight[original]);
    sum.add(table.weight[original] * table.mean[original]);
  }
  const double mean = sum.value() / weight.value();
  for (const std::uint32_t g : members) {
    const std::uint32_t original = problem.original(g);
    const double deviation = table.mean[original] - mean;
    loss.add(table.scatter[original]);
    loss.add(table.weight[original] * deviation * deviation);
  }
  return {mean, loss.value()};
}

std::unique_ptr<NodeCosts> SquaredError::node_costs(const Problem& problem, const Options& options,
                                                    Pace& pace) const {
  return std::make_unique<SquaredNodeCosts>(problem, options, pace);
}

std::unique_ptr<Prices> SquaredError::prices(const Problem& problem,
                                             const Implications& implications, const Shape& tree,
                                             Pace& pace) const {
  return std::make_unique<SquaredPrices>(problem, implications, tree, pace);
}

std::shared_ptr<const Shape> SquaredError::greedy_tree(const Problem& problem, const Watch& watch,
                                                       double seconds) const {
  return optitree::greedy_tree(problem, watch, seconds);
}

std::unique_ptr<Exchange> SquaredError::exchange(const Problem& problem, Pace& pace) const {
  return std::make_unique<SquaredExchange>(problem, pace);
}

}  // namespace optitree
