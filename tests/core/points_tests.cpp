// Losses that charge by the unit of an error: walks against every prediction, the k-medians bound
// against every clustering, searches with bounds against searches without.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/pinball/depth_two.hpp"
#include "costs/pinball/kmedians.hpp"
#include "costs/pinball/pinball_loss.hpp"
#include "problem/target_points.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

constexpr double kRounding = 1e-12;
const PinballRates kRates[] = {{1, 1}, {0.5, 0.5}, {0.9, 0.1}, {0.3, 0.7}};

Sample sample_with_loss(unsigned seed, std::size_t rows, std::size_t features) {
  Sample sample = random_sample(seed, rows, features);
  sample.loss = std::make_shared<PinballLoss>(kRates[seed % 4]);
  if (seed % 5 == 0) {
    for (double& target : sample.target) target += 1e6;
  }
  return sample;
}

// The cost of a leaf on some groups above their floor: every target is tried as the prediction.
double leaf(const Problem& problem, const PinballRates& rates,
            const std::vector<std::uint32_t>& members) {
  std::vector<Point> points;
  std::ranges::copy_if(problem.points(), std::back_inserter(points), [&](const Point& point) {
    return std::ranges::binary_search(members, point.group);
  });
  double best = kInfinity;
  for (const Point& tried : points) {
    double cost = 0;
    for (const Point& point : points) {
      const double error = tried.value - point.value;
      cost += (error > 0 ? rates.over : -rates.under) * error * point.weight * problem.scale();
    }
    best = std::min(best, cost);
  }
  for (const std::uint32_t g : members) best -= problem.cell(g).square();
  return best + problem.regularization();
}

struct Everything {
  explicit Everything(const Problem& problem) {
    groups.resize(problem.groups());
    points.resize(problem.points().size());
    std::iota(groups.begin(), groups.end(), 0U);
    std::iota(points.begin(), points.end(), 0U);
    axis.clear(problem.features(), problem.words());
    for (std::uint32_t f = 0; f < problem.features(); ++f) axis.add(f);
    table.reset(problem.features());
    table.add(problem, groups, axis.mask.data(), axis.position_of);
  }

  std::vector<std::uint32_t> groups, points;
  Axis axis;
  PairTable table;
};

std::vector<std::uint32_t> with(const Problem& problem, const std::vector<std::uint32_t>& members,
                                std::uint32_t feature, int side) {
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t g : members) {
    if (problem.holds(2 * feature + static_cast<Literal>(side))(g)) kept.push_back(g);
  }
  return kept;
}

void test_predictions() {
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < cases(500); ++seed) {
    const PinballRates& rates = kRates[seed % 4];
    std::vector<Point> points;
    const std::size_t count = 1 + random() % 9;
    for (std::size_t k = 0; k < count; ++k) {
      points.push_back(
          {static_cast<double>(random() % 5), static_cast<double>(1 + random() % 3), 0});
    }
    std::ranges::sort(points, {}, &Point::value);
    const auto cost = [&](double m) {
      double sum = 0;
      for (const Point& point : points) {
        sum += point.weight *
               (point.value < m ? rates.over * (m - point.value) : rates.under * (point.value - m));
      }
      return sum;
    };
    const BestPrediction best = best_prediction(points, rates);
    check(std::abs(best.loss - cost(best.value)) < kRounding, "the loss of a prediction", seed);
    for (double m = -2; m < 7; m += 0.25) {
      check(cost(m) >= best.loss + best.slope * std::abs(m - best.value) - kRounding,
            "the slope of a prediction holds everywhere", seed);
      check(m >= best.value || cost(m) > best.loss + kRounding, "no lower value is as good", seed);
    }
  }
}

// Leaves, stumps and deeper trees of every side, and trees of depth two, from walks.
void test_walks() {
  for (unsigned seed = 0; seed < cases(300); ++seed) {
    const Sample sample = sample_with_loss(seed, 40, seed % 10 == 0 ? 70 : 9);
    const Groups groups(sample);
    const Problem problem = problem_of(sample, groups);
    const Everything all(problem);
    const Options options;
    Watch watch({}, nullptr);
    const std::atomic<bool> unwind = false;
    Pace pace(watch, unwind, true);
    const PinballRates& rates = kRates[seed % 4];
    DepthTwoAlongPoints walks(problem, rates, options, pace);
    SideCosts costs;
    const double lambda = problem.regularization();
    const double whole = leaf(problem, rates, all.groups);
    const Region region{all.points, all.table, all.axis, problem.total_cell(), whole};
    check(walks.measure(region, 3, costs), "a walk that nobody halts ends", seed);
    check(std::abs(whole - problem.root_cost()) < kRounding, "the cost of the root", seed);
    double best = whole;
    for (std::uint32_t f = 0; f < problem.features(); ++f) {
      double of_sides = 0;
      for (const int side : {0, 1}) {
        const std::vector<std::uint32_t> members = with(problem, all.groups, f, side);
        Cell total;
        for (const std::uint32_t g : members) total = total + problem.cell(g);
        if (!problem.can_be_leaf(total)) {
          check(costs.leaf[side][f] == kInfinity, "a leaf too small", seed);
          of_sides = kInfinity;
          continue;
        }
        const double as_leaf = leaf(problem, rates, members);
        check(std::abs(costs.leaf[side][f] - as_leaf) < kRounding, "the cost of a side", seed);
        double stump = kInfinity, deeper = kInfinity;
        const std::vector<double>& two = walks.two_leaves(region, f, side);
        for (std::uint32_t h = 0; h < problem.features(); ++h) {
          const auto ones = with(problem, members, h, 1), zeros = with(problem, members, h, 0);
          Cell one, zero;
          for (const std::uint32_t g : ones) one = one + problem.cell(g);
          for (const std::uint32_t g : zeros) zero = zero + problem.cell(g);
          if (!problem.can_be_leaf(one) || !problem.can_be_leaf(zero)) {
            check(two[h] == kInfinity, "two leaves that may not be", seed);
            continue;
          }
          const double a = leaf(problem, rates, ones), b = leaf(problem, rates, zeros);
          check(std::abs(two[h] - (a + b)) < kRounding, "two leaves", seed);
          stump = std::min(stump, a + b);
          deeper = std::min(deeper, 2 * lambda + std::min({a, b, 2 * lambda}));
        }
        if (as_leaf > 2 * lambda + kRounding) {
          check(std::min(costs.stump[side][f], 1e9) - std::min(stump, 1e9) < kRounding, "a stump",
                seed);
          check(std::abs(std::min(costs.deeper[side][f], 1e9) - std::min(deeper, 1e9)) < kRounding,
                "a bound on deeper trees", seed);
        } else if (as_leaf < 2 * lambda - kRounding) {
          check(costs.stump[side][f] == kInfinity, "what is best as a leaf is left alone", seed);
        }
        of_sides += std::min(as_leaf, stump);
      }
      best = std::min(best, of_sides);
    }
    const std::optional<DepthTwo> found = walks.best(region);
    check(found && std::abs(found->cost - best) < kRounding, "the best tree of depth two", seed);
  }
}

// The least cost of a partition of the points into clusters: every one is tried.
double best_partition(const std::vector<Point>& points, const PinballRates& rates, double scale,
                      double lambda) {
  double best = kInfinity;
  std::vector<std::vector<Point>> clusters;
  const auto place = [&](const auto& self, std::size_t at) -> void {
    if (at == points.size()) {
      double cost = 0;
      for (const auto& cluster : clusters)
        cost += lambda + scale * best_prediction(cluster, rates).loss;
      best = std::min(best, cost);
      return;
    }
    for (std::size_t k = 0; k < clusters.size(); ++k) {
      clusters[k].push_back(points[at]);
      self(self, at + 1);
      clusters[k].pop_back();
    }
    clusters.push_back({points[at]});
    self(self, at + 1);
    clusters.pop_back();
  };
  place(place, 0);
  return best;
}

// With one point a group the bound is the best partition of all; else the better of two of them.
void test_kmedians_of_few() {
  for (unsigned seed = 0; seed < cases(300); ++seed) {
    const Sample sample = sample_with_loss(seed, 8, 1 + seed % 6);
    const Groups groups(sample);
    const Problem problem = problem_of(sample, groups);
    const Everything all(problem);
    const PinballRates& rates = kRates[seed % 4];
    const double lambda = problem.regularization();
    double exact = best_partition(problem.points(), rates, problem.scale(), lambda) -
                   problem.total_cell().square();
    std::vector<Point> alone;
    for (const std::uint32_t g : all.groups) {
      if (problem.slope(g) > 0) alone.push_back({problem.mean(g), problem.slope(g), g});
    }
    if (problem.points().size() > problem.groups() && !alone.empty()) {
      exact = std::max(exact, best_partition(alone, {1, 1}, problem.scale(), lambda));
    }
    const double bound = KMedians(problem, rates).bound(all.groups, all.points, kInfinity);
    check(std::abs(bound - exact) < kRounding, "the k-medians bound is exact for few", seed);
    for (const double most : {0.5 * exact, exact + 0.1}) {
      const double cut = KMedians(problem, rates).bound(all.groups, all.points, most);
      check(std::min(cut, most) >= std::min(exact, most) - kRounding && cut < exact + kRounding,
            "a bound that is cut off", seed);
    }
  }
}

// On buckets it is a bound on the exact clustering of every point.
void test_kmedians_of_many() {
  for (unsigned seed = 0; seed < cases(60); ++seed) {
    Sample sample = sample_with_loss(seed, 300, 14);
    if (seed % 3 == 0) {
      for (std::size_t r = 0; r < sample.weight.size(); r += 2) sample.weight[r] *= 1e-12;
    }
    const Groups groups(sample);
    const Problem problem = problem_of(sample, groups);
    const Everything all(problem);
    const PinballRates& rates = kRates[seed % 4];
    const auto clustered = [&](const std::vector<Point>& points, const PinballRates& by) {
      std::vector<double> best(points.size() + 1, kInfinity);
      best[0] = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t j = i + 1; j <= points.size(); ++j) {
          const BestPrediction one = best_prediction(std::span(points).subspan(i, j - i), by);
          const double cost = best[i] + problem.regularization() + problem.scale() * one.loss;
          best[j] = std::min(best[j], cost);
        }
      }
      return best.back();
    };
    double exact = clustered(problem.points(), rates) - problem.total_cell().square();
    std::vector<Point> alone;
    for (const std::uint32_t g : all.groups) {
      alone.push_back({problem.mean(g), std::max(problem.slope(g), 1e-300), g});
    }
    exact = std::max(exact, clustered(alone, {1, 1}));
    const double bound = KMedians(problem, rates).bound(all.groups, all.points, kInfinity);
    check(bound <= exact + kRounding, "the k-medians bound is a bound", seed);
  }
}

void test_searches() {
  bool Options::* const switches[] = {
      &Options::hierarchical, &Options::lookahead, &Options::leaf_count, &Options::pairs,
      &Options::kmeans,       &Options::subset,    &Options::cache,      &Options::subtraction};
  for (unsigned seed = 0; seed < cases(200); ++seed) {
    const Sample sample = sample_with_loss(seed, seed % 4 == 0 ? 250 : 50, 8);
    Options none;
    for (bool Options::* const bound : switches) none.*bound = false;
    const Solution plain = solve_sample(sample, none);
    const Solution best = solve_sample(sample, {}, 1 + seed % 2);
    check(plain.status == Status::kOptimal && best.status == Status::kOptimal, "a proof", seed);
    check(same_tree(plain, best), "bounds do not change the tree", seed);
    Limits tight;
    tight.bytes = 5'000 + 200 * seed;
    const Solution stopped = solve_sample(sample, {}, 1, tight);
    check(stopped.lower_bound <= best.objective + 1e-9, "lower bound of a stopped search", seed);
    check(stopped.objective >= best.objective - 1e-9, "objective of a stopped search", seed);
    Limits now;
    now.seconds = 0;
    const Solution at_once = solve_sample(sample, {}, 1, now);
    check(at_once.lower_bound <= best.objective + 1e-9, "lower bound without time", seed);
  }
}

}  // namespace

void test_points() {
  test_predictions();
  test_walks();
  test_kmedians_of_few();
  test_kmedians_of_many();
  test_searches();
}
