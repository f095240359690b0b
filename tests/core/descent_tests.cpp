// Searches at several regularizations: what is carried over, paths, and limits on leaves.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "answers/path.hpp"
#include "answers/prune_to_leaves.hpp"
#include "check.hpp"
#include "sample.hpp"
#include "search/bounds_by_regularization.hpp"

using namespace optitree;

namespace {

// The cost of the best of some trees, which are lines.
struct Lines {
  std::vector<double> loss;
  std::vector<double> leaves;

  double at(double r) const {
    double least = loss[0] + r * leaves[0];
    for (std::size_t k = 1; k < loss.size(); ++k) least = std::min(least, loss[k] + r * leaves[k]);
    return least;
  }
};

void test_bounds_carried_over_stay_below(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Lines lines;
  for (std::size_t k = 0, count = 1 + random() % 6; k < count; ++k) {
    lines.loss.push_back(uniform(random));
    lines.leaves.push_back(static_cast<double>(1 + random() % 12));
  }
  BoundsByRegularization earlier;
  double r = uniform(random);
  double lower = lines.at(r) * (random() % 2 ? 1 : uniform(random));
  bool exact_at_ends = true;
  for (int step = 0; step < 20; ++step) {
    const double next = random() % 8 == 0 ? r : uniform(random);
    const double carried = earlier.change(lower, r, next);
    check(carried <= lines.at(next) + 1e-12, "a bound carried over is a bound", seed);
    if (next == r) exact_at_ends &= carried >= lower - 1e-12;
    r = next;
    lower = std::max(carried, random() % 2 ? lines.at(r) : 0);
  }
  check(exact_at_ends, "nothing is lost where the regularization stays", seed);
}

Solution solve_at(Task task, double r) {
  task.restrictions.regularization = r;
  return solve(task);
}

// Inside its interval the tree of a step is what a search of its own finds; where two steps meet
// they cost the same.
void test_path(unsigned seed) {
  const Sample sample = random_sample(seed, 30, 7);
  const Groups groups(sample);
  Task task = task_of(sample, groups);
  Restrictions& restrictions = task.restrictions;
  restrictions.regularization = seed % 3 == 0 ? 0 : 1e-3;
  task.options.eager = seed % 2 == 0;
  task.threads = 1 + seed % 2;
  const Path path = solve_path(task);
  check(path.status == Status::kOptimal, "a path without limits is proven", seed);
  check(std::isinf(path.steps.front().high), "it begins with one leaf", seed);
  check(path.steps.back().low == restrictions.regularization,
        "it ends at the smallest regularization", seed);
  for (std::size_t k = 0; k < path.steps.size(); ++k) {
    const Step& step = path.steps[k];
    check(step.low <= step.high, "an interval has its ends in order", seed);
    const double high = std::min(step.high, 2.0);
    for (const double share : {0.2, 0.8}) {
      const double r = step.low + share * (high - step.low);
      const Solution alone = solve_at(task_of(sample, groups), r);
      const double cost = step.loss + r * step.leaves;
      check(std::abs(alone.objective - cost) < 1e-9, "a step is optimal within its interval", seed);
      const bool same = std::ranges::equal(alone.tree.nodes, step.tree.nodes, {},
                                           &TreeNode::feature, &TreeNode::feature);
      check(same || high - step.low < 1e-6, "and is the canonical tree there", seed);
    }
    if (k == 0) continue;
    const Step& before = path.steps[k - 1];
    check(before.low == step.high, "neighbours meet", seed);
    check(before.leaves < step.leaves, "leaves grow along the path", seed);
    check(std::abs(before.loss - step.loss - step.high * (step.leaves - before.leaves)) < 1e-9,
          "where they meet they cost the same", seed);
  }
}

// What a search with a limit on leaves says, against one that has all trees of the path to choose
// from: no better, and no worse than the best of them within the limit.
void test_limit_on_leaves(unsigned seed) {
  const Sample sample = random_sample(seed, 60, 9);
  const Groups groups(sample);
  Task task = task_of(sample, groups);
  task.restrictions.regularization = 1e-3;
  const Path path = solve_path(task);
  const double free = solve(task).objective;
  double last = std::numeric_limits<double>::infinity();
  for (std::uint32_t most = 1; most <= path.steps.back().leaves; ++most) {
    task.restrictions.max_leaves = most;
    const Solution limited = solve(task);
    check(limited.status == Status::kOptimal, "a limit on leaves is proven", seed);
    check(limited.tree.leaves() <= most, "and kept", seed);
    check(limited.objective >= free - 1e-9, "no better than without a limit", seed);
    check(limited.objective <= last + 1e-12, "no worse than with fewer leaves", seed);
    last = limited.objective;
    for (const Step& step : path.steps) {
      if (step.leaves > most) continue;
      check(limited.objective <= step.loss + 1e-3 * step.leaves + 1e-9,
            "no worse than the optimal trees with as many leaves", seed);
    }
  }
  check(std::abs(last - free) < 1e-9, "with enough leaves it is the best tree of all", seed);
}

// Stopped at any moment (between the proof and what is tried beside it, too) it knows a tree within
// the limit and a bound that holds; not stopped, the same tree however little time there was.
// Returns whether it was stopped.
bool test_stopped_limit_on_leaves(unsigned seed) {
  std::mt19937 random(seed);
  Sample sample = seed % 2 == 0 ? noise(seed, 60 + random() % 60, 8 + random() % 5)
                                : random_sample(seed, 60, 10);
  const double regularizations[] = {0, 0.004, 0.02, 0.05, 0.1};
  sample.restrictions.regularization = regularizations[random() % 5];
  sample.restrictions.min_samples_leaf = static_cast<double>(1 + random() % 3);
  const Groups groups(sample);
  Task task = task_of(sample, groups);
  task.restrictions.max_leaves = static_cast<std::uint32_t>(3 + random() % 20);
  task.options.eager = random() % 2;
  const Solution best = solve(task);
  std::uniform_real_distribution<double> share(0, 2.5);
  task.limits.seconds = share(random) * best.effort.seconds;
  const Solution found = solve(task);
  check(found.tree.leaves() <= task.restrictions.max_leaves, "a limit on leaves is kept", seed);
  check(found.objective >= best.objective - 1e-9, "no tree is below the optimum", seed);
  check(found.lower_bound <= best.objective + 1e-9, "no bound is above the optimum", seed);
  if (found.status == Status::kOptimal) check(same_tree(found, best), "the same tree", seed);
  return found.status != Status::kOptimal;
}

// The least loss below a node of a tree with at most so many leaves, by trying everything.
double least_below(const Tree& tree, std::int32_t at, std::size_t most) {
  const TreeNode& node = tree.nodes[static_cast<std::size_t>(at)];
  double least = node.loss;
  if (node.feature < 0) return least;
  for (std::size_t k = 1; k < most; ++k) {
    least = std::min(least, least_below(tree, node.yes, k) + least_below(tree, node.no, most - k));
  }
  return least;
}

void test_pruning(unsigned seed) {
  const Sample sample = random_sample(seed, 40, 7);
  const Groups groups(sample);
  const Tree tree = solve_at(task_of(sample, groups), 0).tree;
  for (std::size_t most = 1; most <= std::min<std::size_t>(tree.leaves() + 1, 7); ++most) {
    const Tree cut = prune_to_leaves(tree, most);
    check(cut.leaves() <= most, "a tree is pruned to so many leaves", seed);
    check(std::abs(cut.loss() - least_below(tree, 0, most)) <= 1e-9 * (1 + tree.nodes[0].loss),
          "and is the best that can be left of it", seed);
    check(cut.nodes[0].rows == tree.nodes[0].rows, "its root is the same", seed);
    for (const TreeNode& node : cut.nodes) {
      if (node.feature < 0) continue;
      const TreeNode& yes = cut.nodes[static_cast<std::size_t>(node.yes)];
      const TreeNode& no = cut.nodes[static_cast<std::size_t>(node.no)];
      check(yes.rows + no.rows == node.rows, "its splits hang together", seed);
    }
  }
}

// Where leaves cost nothing and trees have a hundred of them, differences too small to count add up
// to one that counts: bounds that had met so far that nothing was left to do stayed open for ever.
void test_paths_end(unsigned seed) {
  Sample sample = noise(seed, 226, 8);
  const Groups groups(sample);
  Task task = task_of(sample, groups);
  task.restrictions.regularization = 0;
  task.limits.seconds = 60;
  check(solve_path(task).status == Status::kOptimal, "a path down to 0 ends", seed);
  task.restrictions.max_leaves = static_cast<std::uint32_t>(groups.sums.weight.size() / 2);
  check(solve(task).status == Status::kOptimal, "a limit on half as many leaves as groups", seed);
}

}  // namespace

void test_descents() {
  for (unsigned seed = 0; seed < cases(2000); ++seed) test_bounds_carried_over_stay_below(seed);
  for (unsigned seed = 0; seed < cases(400); ++seed) test_path(seed);
  for (unsigned seed = 0; seed < cases(100); ++seed) test_limit_on_leaves(seed);
  unsigned stopped = 0;
  for (unsigned seed = 0; seed < cases(150); ++seed) stopped += test_stopped_limit_on_leaves(seed);
  check(stopped > cases(150) / 4, "many searches were stopped", stopped);
  for (unsigned seed = 0; seed < cases(200); ++seed) test_pruning(seed);
  for (unsigned seed = 0; seed < cases(10); ++seed) test_paths_end(seed);
}
