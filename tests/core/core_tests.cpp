// The core's own tests: no Python, so that they can run under the sanitizers. Here: the search.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "check.hpp"
#include "grouping.hpp"
#include "kmeans.hpp"
#include "pairs.hpp"
#include "solve.hpp"

using namespace optitree;

namespace {

// A random table of single-row groups and groups of several rows, with all the arrays it needs.
struct Sample {
  std::size_t features;
  std::size_t words;
  std::vector<std::uint64_t> bits;
  std::vector<double> target;
  std::vector<double> weight;
  Restrictions restrictions;

  bool holds(std::size_t row, std::size_t f) const {
    return (bits[row * words + f / 64] >> (f % 64)) & 1;
  }
};

Sample random_sample(unsigned seed, std::size_t most_rows, std::size_t most_features) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::normal_distribution<double> normal;
  Sample sample;
  const std::size_t rows = 1 + below(most_rows);
  sample.features = 1 + below(most_features);
  sample.words = (sample.features + 63) / 64;
  sample.bits.assign(rows * sample.words, 0);
  const std::size_t density = 2 + below(4);
  const bool ties = below(2) == 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t f = 0; f < sample.features; ++f) {
      if (below(density) == 0)
        sample.bits[row * sample.words + f / 64] |= std::uint64_t{1} << (f % 64);
    }
    sample.target.push_back(ties ? static_cast<double>(below(3)) : normal(random));
    sample.weight.push_back(static_cast<double>(1 + below(3)));
  }
  const double lambdas[] = {0, 0.001, 0.01, 0.05, 0.2};
  const Depth depths[] = {0, 1, 2, 3, 4, kNoDepthLimit, kNoDepthLimit};
  sample.restrictions = {lambdas[below(5)], depths[below(7)], static_cast<double>(1 + below(2))};
  return sample;
}

// Tries every tree on the rows; the objective of the best.
class BruteForce {
 public:
  explicit BruteForce(const Sample& sample) : sample_(sample) {
    const std::size_t rows = sample.target.size();
    double weight = 0, sum = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      weight += sample.weight[r];
      sum += sample.weight[r] * sample.target[r];
    }
    centre_ = sum / weight;
    total_ = loss((std::uint64_t{1} << rows) - 1);
  }

  double objective() {
    if (total_ <= 0) return sample_.restrictions.regularization;
    const std::uint64_t all = (std::uint64_t{1} << sample_.target.size()) - 1;
    const std::size_t most = std::min(sample_.features, sample_.target.size());
    return best(all, std::min<std::size_t>(sample_.restrictions.max_depth, most));
  }

 private:
  double loss(std::uint64_t rows) const {
    double weight = 0, sum = 0, square = 0;
    for (std::size_t r = 0; r < sample_.target.size(); ++r) {
      if (!((rows >> r) & 1)) continue;
      const double y = sample_.target[r] - centre_;
      weight += sample_.weight[r];
      sum += sample_.weight[r] * y;
      square += sample_.weight[r] * y * y;
    }
    return square - sum * sum / weight;
  }
  double best(std::uint64_t rows, std::size_t depth) {
    const auto [known, added] = memo_.try_emplace({rows, depth}, 0);
    if (!added) return known->second;
    double cost = loss(rows) / total_ + sample_.restrictions.regularization;
    for (std::size_t f = 0; depth > 0 && f < sample_.features; ++f) {
      std::uint64_t yes = 0;
      for (std::size_t r = 0; r < sample_.target.size(); ++r) {
        if (((rows >> r) & 1) && sample_.holds(r, f)) yes |= std::uint64_t{1} << r;
      }
      const std::uint64_t no = rows & ~yes;
      const double least = sample_.restrictions.min_samples_leaf;
      if (std::popcount(yes) < least || std::popcount(no) < least) continue;
      cost = std::min(cost, best(yes, depth - 1) + best(no, depth - 1));
    }
    return memo_[{rows, depth}] = cost;
  }

  const Sample& sample_;
  double centre_ = 0;
  double total_ = 0;
  std::map<std::pair<std::uint64_t, std::size_t>, double> memo_;
};

// The groups of a sample, with all the arrays that a GroupTable looks at.
struct Groups {
  explicit Groups(const Sample& sample) : features(sample.features) {
    const std::size_t rows = sample.target.size();
    std::vector<std::vector<std::uint32_t>> codes(features, std::vector<std::uint32_t>(rows));
    std::vector<CodeColumn> columns;
    for (std::size_t f = 0; f < features; ++f) {
      for (std::size_t row = 0; row < rows; ++row) codes[f][row] = sample.holds(row, f);
      columns.push_back({codes[f], 2});
    }
    const Partition partition = group_rows(columns, rows);
    for (const std::uint64_t row : partition.first) {
      const auto begin = sample.bits.begin() + static_cast<std::ptrdiff_t>(row * sample.words);
      bits.insert(bits.end(), begin, begin + static_cast<std::ptrdiff_t>(sample.words));
    }
    sums =
        add_up(partition.group_of, partition.first.size(), {sample.target, sample.weight, {}, {}});
  }
  GroupTable view() const {
    return {bits, sums.weight, sums.mean, sums.scatter, sums.rows, features};
  }

  std::size_t features;
  std::vector<std::uint64_t> bits;
  Statistics sums;
};

Solution solve_sample(const Sample& sample, const Options& options, const Limits& limits = {},
                      const Monitor& monitor = nullptr) {
  const Groups groups(sample);
  return solve(groups.view(), sample.restrictions, limits, options, monitor, true);
}

void test_against_brute_force() {
  bool Options::* const switches[] = {
      &Options::hierarchical, &Options::lookahead,   &Options::leaf_count,
      &Options::pairs,        &Options::kmeans,      &Options::subset,
      &Options::cache,        &Options::subtraction, &Options::merge_equal_features};
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Sample sample = random_sample(seed, 12, 5);
    const double best = BruteForce(sample).objective();
    const auto agrees = [&](const Options& options) {
      const Solution solution = solve_sample(sample, options);
      return std::abs(solution.objective - best) < 1e-9 && solution.status == Status::kOptimal;
    };
    check(agrees({}), "the optimum is found", seed);
    for (bool Options::* const bound : switches) {
      Options options;
      options.*bound = false;
      check(agrees(options), "the optimum is found without one of the bounds", seed);
    }
  }
}

void test_many_features() {  // more than one word of bits
  for (unsigned seed = 0; seed < 10; ++seed) {
    Sample sample = random_sample(seed, 40, 150);
    sample.restrictions.max_depth = std::min<Depth>(sample.restrictions.max_depth, 3);
    const Solution with = solve_sample(sample, {});
    Options plain;
    plain.kmeans = plain.subset = plain.cache = plain.pairs = plain.subtraction = false;
    const Solution without = solve_sample(sample, plain);
    check(std::abs(with.objective - without.objective) < 1e-9, "bounds do not matter", seed);
  }
}

void test_interruption() {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Sample sample = random_sample(seed, 60, 30);
    sample.restrictions.max_depth = 4;
    const Solution full = solve_sample(sample, {});
    Limits tight;
    tight.bytes = 20'000 + 3'000 * seed;
    const Solution stopped = solve_sample(sample, {}, tight);
    check(stopped.lower_bound <= full.objective + 1e-9, "lower bound of a stopped search", seed);
    check(stopped.objective >= full.objective - 1e-9, "objective of a stopped search", seed);
    Limits now;
    now.seconds = 0;
    const Solution at_once = solve_sample(sample, {}, now);
    check(at_once.lower_bound <= full.objective + 1e-9, "lower bound without time", seed);
  }
}

// The bound on buckets against the exact clustering of every group.
void test_kmeans() {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Sample sample = random_sample(seed, 300, 14);
    if (seed % 3 == 0) {  // rounding moves the means of the light groups
      for (std::size_t r = 0; r < sample.weight.size(); r += 2) sample.weight[r] *= 1e-14;
    }
    const Groups groups(sample);
    const Problem problem(groups.view(), sample.restrictions);
    std::vector<std::uint32_t> members(problem.groups());
    std::iota(members.begin(), members.end(), 0U);
    std::vector<double> best(members.size() + 1, 0);
    for (std::size_t j = 1; j < best.size(); ++j) {
      Cell cluster;
      best[j] = 1e300;
      for (std::size_t i = j; i-- > 0;) {
        cluster = cluster + problem.cell(members[i]);
        best[j] = std::min(best[j], best[i] + leaf_cost(cluster, problem.regularization()));
      }
    }
    const double bound = kmeans_bound(problem, members);
    check(bound <= best.back() + 1e-12, "the k-means bound is a bound", seed);
    if (members.size() <= kMostBuckets) {
      check(std::abs(bound - best.back()) < 1e-12, "the k-means bound is exact", seed);
    }
  }
}

void test_row_order() {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Sample sample = random_sample(seed, 30, 6);
    std::vector<std::size_t> order(sample.target.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    Sample shuffled = sample;
    for (std::size_t r = 0; r < order.size(); ++r) {
      shuffled.target[r] = sample.target[order[r]];
      shuffled.weight[r] = sample.weight[order[r]];
      for (std::size_t w = 0; w < sample.words; ++w) {
        shuffled.bits[r * sample.words + w] = sample.bits[order[r] * sample.words + w];
      }
    }
    const Solution a = solve_sample(sample, {});
    const Solution b = solve_sample(shuffled, {});
    bool same = a.objective == b.objective && a.tree.nodes.size() == b.tree.nodes.size();
    for (std::size_t k = 0; same && k < a.tree.nodes.size(); ++k) {
      same = a.tree.nodes[k].feature == b.tree.nodes[k].feature &&
             a.tree.nodes[k].mean == b.tree.nodes[k].mean;
    }
    check(same, "the order of the rows leaves no trace", seed);
  }
}

}  // namespace

int main() {
  test_against_brute_force();
  test_many_features();
  test_interruption();
  test_kmeans();
  test_row_order();
  test_tables();
  std::printf("%d passed, %d failed\n", checks - failures, failures);
  return failures == 0 ? 0 : 1;
}
