#include "answers/one_search.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "answers/canonical_tree.hpp"
#include "answers/describe.hpp"
#include "answers/unproven.hpp"
#include "search/read_off.hpp"

namespace optitree {

namespace {

constexpr double kReadOffError = 1e-9;

}  // namespace

OneSearch::OneSearch(const Task& task)
    : task_(task),
      trace_(task),
      watch_(task.limits,
             [this](const Progress& progress) {
               return trace_.report(progress, problem_.floor_share());
             }),
      problem_(make_problem(task.table, task.restrictions, *task.loss)),
      search_(problem_, watch_, task) {}

Solution OneSearch::solve() {
  Solution solution;
  bounds_ = search_.run();
  stop_ = watch_.status();
  const bool searched = stop_ == Status::kOptimal;
  if (searched) {
    auto shape = CanonicalTree(search_.leader(), problem_, watch_).find(bounds_.upper);
    // A search stopped while it compares equally good trees has proven its optimum all the same.
    stop_ = watch_.status();
    if (shape == nullptr) {
      watch_.extend(kInfinity);
      shape = ReadOff(search_.leader(), problem_, watch_).best_known(kInfinity);
    }
    take(describe(*shape, problem_, task_), solution);
  } else {
    for (const auto& shape : unproven_trees(search_, problem_, watch_, task_)) {
      take(describe(*shape, problem_, task_), solution);
    }
  }
  const double floor = problem_.floor_share();
  proven_ =
      searched && bounds_.closed() && solution.objective <= bounds_.upper + floor + kReadOffError;
  solution.status = final_status(proven_, stop_);
  solution.lower_bound =
      proven_ ? solution.objective : std::min(bounds_.lower + floor, solution.objective);
  solution.proven_depth =
      proven_ ? kNoDepthLimit : search_.proven_depth(solution.objective - floor - kReadOffError);
  solution.effort = search_.progress();
  if (const std::vector<double>* prices = search_.prices()) {
    solution.prices.resize(prices->size());
    for (std::uint32_t g = 0; g < prices->size(); ++g) {
      solution.prices[problem_.original(g)] = (*prices)[g];
    }
  }
  trace_.finish(solution);
  return solution;
}

// If it is better than what is there.
void OneSearch::take(Tree&& tree, Solution& solution) const {
  const double objective = objective_of(tree, problem_, task_.restrictions.regularization);
  if (!solution.tree.nodes.empty() && !strictly_better(objective, solution.objective)) return;
  solution.objective = objective;
  solution.tree = std::move(tree);
}

}  // namespace optitree
