// The core's own tests: no Python, so that they can run under the sanitizers. Here: the search.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "answers/solve.hpp"
#include "check.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/squared/kmeans.hpp"
#include "costs/squared/leaf_cost.hpp"
#include "problem/pair_table.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

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

void test_against_brute_force() {
  for (unsigned seed = 0; seed < cases(400); ++seed) {
    const Sample sample = random_sample(seed, 12, 5);
    const double best = BruteForce(sample).objective();
    const auto agrees = [&](const Options& options) {
      const Solution solution = solve_sample(sample, options, 1 + seed % 2);
      return std::abs(solution.objective - best) < 1e-9 && solution.status == Status::kOptimal;
    };
    Options eager;
    eager.eager = true;
    check(agrees({}), "the optimum is found", seed);
    check(agrees(eager), "the optimum is found with prices from the start", seed);
    for (const Switch& bound : kBounds) {
      Options options = eager;
      options.*bound.member = false;
      check(agrees(options), "the optimum is found without one of the bounds", seed);
    }
  }
}

void test_many_features() {  // more than one word of bits
  for (unsigned seed = 0; seed < cases(10); ++seed) {
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
  for (unsigned seed = 0; seed < cases(60); ++seed) {
    Sample sample = random_sample(seed, 60, 30);
    sample.restrictions.max_depth = 4;
    const Solution full = solve_sample(sample, {});
    Limits tight;
    tight.bytes = 20'000 + 3'000 * seed;
    const Solution stopped = solve_sample(sample, {}, 1, tight);
    check(stopped.lower_bound <= full.objective + 1e-9, "lower bound of a stopped search", seed);
    check(stopped.objective >= full.objective - 1e-9, "objective of a stopped search", seed);
    Limits now;
    now.seconds = 0;
    const Solution at_once = solve_sample(sample, {}, 1, now);
    check(at_once.lower_bound <= full.objective + 1e-9, "lower bound without time", seed);
  }
}

// Stopped by whatever memory there is, in the middle of the ladder or elsewhere: no tree within the
// depth that is said to be proven is better than the one that was returned.
void test_proven_depth() {
  unsigned within = 0;
  for (unsigned seed = 0; seed < cases(5000); ++seed) {
    Sample sample = random_sample(seed, 60, 9);
    sample.restrictions.max_depth = seed % 3 == 0 ? 6 : kNoDepthLimit;
    sample.restrictions.min_samples_leaf = seed % 7 == 0 ? 2 : 1;
    sample.restrictions.regularization = seed % 5 == 0 ? 0 : 0.001 * (seed % 11);
    Options eager;
    eager.eager = seed % 4 != 0;
    Limits tight;
    tight.bytes = 30'000 + 100 * (seed % 997);
    const Solution stopped = solve_sample(sample, eager, seed % 10 == 0 ? 2 : 1, tight);
    if (stopped.status == Status::kOptimal) {
      check(stopped.proven_depth == kNoDepthLimit, "a proof is one for all depths", seed);
      continue;
    }
    within += stopped.proven_depth > 2;
    Sample shallow = sample;
    shallow.restrictions.max_depth = std::min(stopped.proven_depth, sample.restrictions.max_depth);
    const double best = sample.target.size() <= 40 && sample.features <= 7
                            ? BruteForce(shallow).objective()
                            : solve_sample(shallow, {}).objective;
    check(stopped.objective <= best + 1e-9, "no tree of the proven depth is better", seed);
    check(stopped.lower_bound <= best + 1e-9, "the lower bound holds for the proven depth", seed);
  }
  check(within > cases(5000) / 50, "there are stopped searches with a proof for some depth",
        within);
}

void test_memory_limit_counts_the_problem() {
  Sample sample = noise(1, 2000, 60);
  sample.restrictions.max_depth = 1;
  const std::size_t bytes = problem_of(sample, Groups(sample)).bytes();
  const Solution free = solve_sample(sample, {});
  check(free.status == Status::kOptimal && free.effort.bytes > bytes, "arrays are counted", 0);
  Limits limits;
  limits.bytes = bytes - 1;
  const Solution stopped = solve_sample(sample, {}, 1, limits);
  check(stopped.status == Status::kMemoryLimit, "arrays alone can be too much", 0);
}

// The bound on buckets against the exact clustering of every group.
void test_kmeans() {
  for (unsigned seed = 0; seed < cases(300); ++seed) {
    Sample sample = random_sample(seed, 300, 14);
    if (seed % 3 == 0) {  // rounding moves the means of the light groups
      for (std::size_t r = 0; r < sample.weight.size(); r += 2) sample.weight[r] *= 1e-14;
    }
    const Groups groups(sample);
    const Problem problem = problem_of(sample, groups);
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
  for (unsigned seed = 0; seed < cases(100); ++seed) {
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
    check(same_tree(a, b), "the order of the rows leaves no trace", seed);
  }
}

}  // namespace

// An argument n runs one random case in n: the sanitizers are slow.
int main(int arguments, char** argument) {
  if (arguments > 1) share = static_cast<unsigned>(std::max(1, std::atoi(argument[1])));
  test_against_brute_force();
  test_many_features();
  test_interruption();
  test_proven_depth();
  test_memory_limit_counts_the_problem();
  test_kmeans();
  test_row_order();
  test_chains();
  test_triples();
  test_better_trees();
  test_exchanges();
  test_grown_trees();
  test_random_options();
  test_prices();
  test_points();
  test_threads();
  test_near_trees();
  test_descents();
  test_tables();
  std::printf("%d passed, %d failed\n", checks - failures, failures);
  return failures == 0 ? 0 : 1;
}
