// The trees near the optimum: against every tree there is, and whatever the bounds and threads.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "answers/near_optimal_trees.hpp"
#include "check.hpp"
#include "common/paced_sort.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

using Leaf = std::uint64_t;  // rows as bits
using Leaves = std::set<Leaf>;

// All sets of leaves that trees on the rows can have, with their objectives.
class EveryTree {
 public:
  explicit EveryTree(const Sample& sample) : sample_(sample), total_(loss(everything())) {}

  std::map<Leaves, double> all() {
    const std::size_t most = std::min(sample_.features, sample_.target.size());
    std::map<Leaves, double> found;
    for (const Leaves& leaves :
         trees(everything(), std::min<std::size_t>(sample_.restrictions.max_depth, most))) {
      double objective = 0;
      for (const Leaf leaf : leaves) {
        const double share = total_ > 1e-20 ? loss(leaf) / total_ : 0;
        objective += share + sample_.restrictions.regularization;
      }
      found[leaves] = objective;
    }
    return found;
  }

 private:
  Leaf everything() const { return (Leaf{1} << sample_.target.size()) - 1; }
  double loss(Leaf rows) const {
    double weight = 0, sum = 0, squares = 0;
    for (std::size_t r = 0; r < sample_.target.size(); ++r) {
      if (!((rows >> r) & 1)) continue;
      weight += sample_.weight[r];
      sum += sample_.weight[r] * sample_.target[r];
    }
    for (std::size_t r = 0; r < sample_.target.size(); ++r) {
      const double deviation = sample_.target[r] - sum / weight;
      if ((rows >> r) & 1) squares += sample_.weight[r] * deviation * deviation;
    }
    return squares;
  }
  const std::set<Leaves>& trees(Leaf rows, std::size_t depth) {
    const auto [known, added] = memo_.try_emplace({rows, depth});
    std::set<Leaves>& found = known->second;
    if (!added) return found;
    found.insert({rows});
    for (std::size_t f = 0; depth > 0 && f < sample_.features; ++f) {
      Leaf yes = 0;
      for (std::size_t r = 0; r < sample_.target.size(); ++r) {
        if (((rows >> r) & 1) && sample_.holds(r, f)) yes |= Leaf{1} << r;
      }
      const double least = std::max(sample_.restrictions.min_samples_leaf, 1.0);
      if (std::popcount(yes) < least || std::popcount(rows & ~yes) < least) continue;
      for (const Leaves& a : trees(yes, depth - 1)) {
        for (const Leaves& b : trees(rows & ~yes, depth - 1)) {
          Leaves both = a;
          both.insert(b.begin(), b.end());
          found.insert(std::move(both));
        }
      }
    }
    return found;
  }

  const Sample& sample_;
  const double total_;
  std::map<std::pair<Leaf, std::size_t>, std::set<Leaves>> memo_;
};

Leaves leaves_of(const Tree& tree, const Sample& sample) {
  std::map<std::size_t, Leaf> reached;
  for (std::size_t r = 0; r < sample.target.size(); ++r) {
    std::size_t at = 0;
    while (tree.nodes[at].feature >= 0) {
      const TreeNode& node = tree.nodes[at];
      const bool yes = sample.holds(r, static_cast<std::size_t>(node.feature));
      at = static_cast<std::size_t>(yes ? node.yes : node.no);
    }
    reached[at] |= Leaf{1} << r;
  }
  Leaves leaves;
  for (const auto& [at, rows] : reached) leaves.insert(rows);
  return leaves;
}

NearOptimalTrees near_sample(const Sample& sample, const NearRequest& request,
                             const Options& options = {}, std::size_t threads = 1,
                             const Limits& limits = {}) {
  const Groups groups(sample);
  Task task = task_of(sample, groups);
  task.limits = limits;
  task.options = options;
  task.threads = threads;
  return solve_near_optimal(task, request);
}

void test_every_tree_near_the_optimum_is_found() {
  constexpr double kShares[] = {0, 0.05, 0.3, 1};
  for (unsigned seed = 0; seed < cases(400); ++seed) {
    const Sample sample = random_sample(seed, 8, 4);
    const std::map<Leaves, double> all = EveryTree(sample).all();
    double optimum = all.begin()->second;
    for (const auto& [leaves, objective] : all) optimum = std::min(optimum, objective);
    const double limit = (1 + kShares[seed % 4]) * optimum + 1e-12;
    const auto wanted =
        std::ranges::count_if(all, [&](const auto& each) { return each.second <= limit; });
    for (const std::size_t most :
         {std::size_t{1'000'000}, static_cast<std::size_t>(1 + wanted / 2)}) {
      Options options;
      options.eager = seed % 2 == 0;
      const NearOptimalTrees near =
          near_sample(sample, {kShares[seed % 4], most}, options, 1 + seed % 3);
      const auto expected = std::min<std::size_t>(static_cast<std::size_t>(wanted), most);
      check(near.status == Status::kOptimal, "all near trees are found", seed);
      check(near.trees.size() == expected, "as many as there are, or as are asked for", seed);
      check(near.more == (static_cast<std::size_t>(wanted) > most), "more is said", seed);
      std::set<Leaves> seen;
      double last = 0;
      for (std::size_t k = 0; k < near.trees.size(); ++k) {
        const Leaves leaves = leaves_of(near.trees.tree(k), sample);
        const double objective = near.trees.objective[k];
        check(seen.insert(leaves).second, "no set of leaves comes twice", seed);
        check(all.contains(leaves), "a near tree is a tree", seed);
        check(std::abs(all.at(leaves) - objective) < 1e-9, "its objective", seed);
        check(objective > last - 1e-12, "in order", seed);
        last = objective;
      }
      for (const auto& [leaves, objective] : all) {
        const bool better = objective < near.lower_bound - 1e-9;
        check(!better || seen.contains(leaves), "nothing below the bound is missing", seed);
      }
    }
  }
}

bool same_trees(const NearOptimalTrees& a, const NearOptimalTrees& b, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const Tree left = a.trees.tree(k), right = b.trees.tree(k);
    const auto same = [](const TreeNode& x, const TreeNode& y) {
      return x.feature == y.feature && x.yes == y.yes && x.no == y.no && x.loss == y.loss;
    };
    if (!std::ranges::equal(left.nodes, right.nodes, same)) return false;
  }
  return true;
}

Sample mid_size(unsigned seed) {
  Sample sample = random_sample(seed, 60, 10);
  while (sample.features < 5 || sample.target.size() < 20) {
    sample = random_sample(seed += 100'000, 60, 10);
  }
  sample.restrictions.regularization = std::max(sample.restrictions.regularization, 0.003);
  return sample;
}

void test_bounds_and_threads_leave_no_trace() {
  bool Options::* const switches[] = {&Options::hierarchical, &Options::pairs,
                                      &Options::prices,       &Options::subset,
                                      &Options::cache,        &Options::merge_equal_features};
  for (unsigned seed = 0; seed < cases(60); ++seed) {
    const Sample sample = mid_size(seed);
    const NearRequest request{0.1, 50};
    const NearOptimalTrees one = near_sample(sample, request);
    Options options;
    options.eager = true;
    options.*switches[seed % 6] = false;
    const NearOptimalTrees other = near_sample(sample, request, options, 1 + seed % 3);
    check(one.trees.size() == other.trees.size() && one.more == other.more, "as many", seed);
    check(same_trees(one, other, std::min(one.trees.size(), other.trees.size())),
          "the same trees whatever the bounds and threads", seed);
  }
}

void test_what_is_found_before_a_limit_comes_first() {
  for (unsigned seed = 0; seed < cases(60); ++seed) {
    const Sample sample = mid_size(seed);
    const NearRequest request{0.2, 200};
    const NearOptimalTrees full = near_sample(sample, request);
    Limits limits;
    limits.bytes = 10'000 + 10'000 * seed;
    const NearOptimalTrees stopped = near_sample(sample, request, {}, 1 + seed % 2, limits);
    check(stopped.trees.size() <= full.trees.size(), "no more than there are", seed);
    check(same_trees(full, stopped, stopped.trees.size()), "the first of all", seed);
    check(stopped.status != Status::kOptimal || stopped.trees.size() == full.trees.size(),
          "all unless it says otherwise", seed);
    for (std::size_t k = stopped.trees.size(); k < full.trees.size(); ++k) {
      check(full.trees.objective[k] >= stopped.lower_bound - 1e-9, "none below the bound", seed);
    }
  }
}

Sample with_many_near_trees() {
  Sample sample = noise(3, 60, 9);
  sample.restrictions = {0.01, 4};
  return sample;
}

// Wherever the clock stops it: in a round, while sets are sorted, while trees are described.
void test_stopped_at_any_time_the_first_are_there() {
  const Sample sample = with_many_near_trees();
  const NearRequest request{3, 30'000};
  const auto begin = std::chrono::steady_clock::now();
  const NearOptimalTrees full = near_sample(sample, request);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  check(full.trees.size() == request.max_trees && full.more, "there are many", 0);
  for (unsigned k = 0; k < cases(60); ++k) {
    Limits limits;
    limits.seconds = seconds.count() * (k + 0.5) / 60;
    const NearOptimalTrees stopped = near_sample(sample, request, {}, 1, limits);
    const std::size_t count = stopped.trees.size();
    check(count <= full.trees.size() && same_trees(full, stopped, count), "the first of all", k);
    check(stopped.more == (stopped.status == Status::kOptimal), "it says what ended it", k);
    if (count > 0 && count < full.trees.size()) {
      check(stopped.lower_bound <= full.trees.objective[count] + 1e-12, "a true bound", k);
      check(stopped.lower_bound >= stopped.trees.objective[count - 1] - 1e-12, "a good one", k);
    }
  }
}

// What a list holds is asked of the watch before.
void test_memory_of_many_trees_is_counted() {
  const Sample sample = with_many_near_trees();
  const NearRequest request{3, 30'000};
  Limits limits;
  limits.bytes = 2'000'000;
  const NearOptimalTrees stopped = near_sample(sample, request, {}, 1, limits);
  check(stopped.status == Status::kMemoryLimit, "30,000 trees need more than 2 MB", 0);
  limits.bytes = 30'000'000;
  const NearOptimalTrees full = near_sample(sample, request, {}, 1, limits);
  check(full.trees.size() == request.max_trees, "and no more than 30 MB", 0);
}

void test_paced_sort() {
  Watch watch({}, nullptr);
  const std::atomic<bool> unwind = false;
  Pace pace(watch, unwind, true);
  for (unsigned seed = 0; seed < cases(40); ++seed) {
    std::mt19937 random(seed);
    std::vector<unsigned> values(random() % 9000), buffer(values.size());
    for (unsigned& value : values) value = static_cast<unsigned>(random() % 1000);
    std::vector<unsigned> expected = values;
    std::ranges::sort(expected);
    const bool done = paced_sort<unsigned>(values, buffer, std::less<>(), pace, 1);
    check(done && values == expected, "in order", seed);
  }
  pace.pause_at(0);
  std::vector<unsigned> values(5000), buffer(5000);
  check(!paced_sort<unsigned>(values, buffer, std::less<>(), pace, 1), "it can be stopped", 0);
}

}  // namespace

void test_near_trees() {
  test_paced_sort();
  test_stopped_at_any_time_the_first_are_there();
  test_memory_of_many_trees_is_counted();
  test_every_tree_near_the_optimum_is_found();
  test_bounds_and_threads_leave_no_trace();
  test_what_is_found_before_a_limit_comes_first();
}
