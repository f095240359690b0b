// Greedy trees grown to their ends, and what pruning leaves of them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "answers/grow.hpp"
#include "check.hpp"
#include "common/watch.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

// What a tree costs whose nodes from `pruned_at` on are leaves.
double cost_left(const Tree& tree, const std::vector<double>& pruned_at, double regularization,
                 std::size_t at = 0) {
  const TreeNode& node = tree.nodes[at];
  if (pruned_at[at] <= regularization) return node.loss / tree.nodes[0].loss + regularization;
  return cost_left(tree, pruned_at, regularization, static_cast<std::size_t>(node.yes)) +
         cost_left(tree, pruned_at, regularization, static_cast<std::size_t>(node.no));
}

// The least that any pruning leaves.
double least_cost(const Tree& tree, double regularization, std::size_t at = 0) {
  const TreeNode& node = tree.nodes[at];
  const double as_leaf = node.loss / tree.nodes[0].loss + regularization;
  if (node.feature < 0) return as_leaf;
  return std::min(as_leaf, least_cost(tree, regularization, static_cast<std::size_t>(node.yes)) +
                               least_cost(tree, regularization, static_cast<std::size_t>(node.no)));
}

void test_pruning(unsigned seed) {
  Sample sample = random_sample(seed, 60, 8);
  sample.restrictions.regularization = 0;
  sample.restrictions.max_leaves = kNoLeafLimit;
  const Groups groups(sample);
  const auto grown = grow(task_of(sample, groups));
  check(grown.has_value(), "squared error has greedy trees", seed);
  const Tree& tree = grown->tree;
  if (tree.nodes[0].loss <= 0) return;
  check(grown->pruned_at.size() == tree.nodes.size(), "a regularization for every node", seed);
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
    const TreeNode& node = tree.nodes[at];
    check(node.feature >= 0 || grown->pruned_at[at] == 0, "leaves are leaves from zero on", seed);
    if (node.feature < 0) continue;
    for (const std::int32_t child : {node.yes, node.no}) {
      check(grown->pruned_at[static_cast<std::size_t>(child)] <= grown->pruned_at[at],
            "the outer branch goes no sooner than the inner", seed);
    }
  }
  for (const double regularization : {0.3, 0.1, 0.03, 0.01, 0.001, 1e-6}) {
    check(std::abs(cost_left(tree, grown->pruned_at, regularization) -
                   least_cost(tree, regularization)) < 1e-12,
          "no pruning leaves a cheaper tree", seed);
  }
}

// A tree of hundreds of leaves where all of them pay, one in the other.
void test_growing_to_the_end() {
  Sample sample = columns(3);
  sample.restrictions.regularization = 0;
  const Groups groups(sample);
  const auto grown = grow(task_of(sample, groups));
  const Solution best = solve_sample(sample);
  check(grown->tree.loss() >= best.tree.loss() - 1e-9, "no greedy tree is below the optimum", 3);
}

// A request to stop that comes as the time ends counts.
void test_stop_at_the_end_of_the_time() {
  Watch watch({.seconds = 0}, [](const Progress&) { return false; });
  watch.observe([] { return Progress{}; });
  watch.look();
  check(watch.status() == Status::kInterrupted, "a request to stop as the time ends counts", 0);
  Watch over({.seconds = 0}, [](const Progress&) { return true; });
  over.observe([] { return Progress{}; });
  over.look();
  check(over.status() == Status::kTimeLimit, "without one it is the time that ended", 0);
}

}  // namespace

void test_grown_trees() {
  for (unsigned seed = 0; seed < cases(500); ++seed) test_pruning(seed);
  test_growing_to_the_end();
  test_stop_at_the_end_of_the_time();
}
