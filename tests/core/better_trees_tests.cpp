// Trees that are made better until nothing helps any more.
#include "check.hpp"
#include "problem/problem.hpp"
#include "sample.hpp"
#include "search/better_trees.hpp"
#include "search/tree_cost.hpp"

using namespace optitree;

// Until all has been tried: it comes to an end, no tree is below the optimum, each costs what is
// said of it, and on tables as small as these most are the best.
void test_better_trees() {
  unsigned best = 0;
  for (unsigned seed = 0; seed < cases(400); ++seed) {
    Sample sample = noise(seed, 40 + seed % 40, 6 + seed % 5);
    sample.restrictions = {0.005 * (1 + seed % 4), kNoDepthLimit,
                           static_cast<double>(1 + seed % 3)};
    if (seed % 3 == 0) sample.restrictions.max_depth = 4;
    const Groups groups(sample);
    Task task = task_of(sample, groups);
    task.options.eager = true;
    Problem problem = problem_of(sample, groups);
    Watch watch{{}, nullptr};
    Shared shared(problem, watch, task, false);
    shared.begin(problem.root_cost());
    Worker worker(shared, true);
    const Node* root = worker.root(sample.restrictions.max_depth);
    shared.implications.learn(root->counted, root->total);

    BetterTrees trees(shared, worker);
    trees.begin();
    trees.go_on(1e12, 1e12);
    const double spent = trees.spent();
    trees.go_on(1e12, 1e12);
    check(trees.spent() - spent < 1e6, "where all has been tried there is nothing to do", seed);
    const Shape& tree = *trees.best().tree();
    check(tree.depth <= sample.restrictions.max_depth, "the limit on the depth holds", seed);
    const double cost = tree_cost(tree, problem, *task.loss, task.table);
    check(cost == shared.root().upper, "the best tree costs what is said of it", seed);
    const double objective = cost + problem.floor_share();
    const double optimum = solve_sample(sample).objective;
    check(objective > optimum - 1e-9, "no tree is below the optimum", seed);
    best += objective < optimum + 1e-9;
  }
  check(best > cases(400) * 3 / 4, "most are the best", best);
}
