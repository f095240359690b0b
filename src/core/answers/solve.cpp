#include "answers/solve.hpp"

#include <algorithm>

#include "answers/greedy_tree.hpp"
#include "answers/max_leaves.hpp"
#include "common/sum.hpp"
#include "search/read_off.hpp"
#include "search/search.hpp"

namespace optitree {

namespace {

constexpr double kSecondsToReadOff = 0.25;
constexpr double kReadOffError = 1e-9;

}  // namespace

double Tree::loss() const {
  CompensatedSum sum;
  for (const TreeNode& node : nodes) {
    if (node.feature < 0) sum.add(node.loss);
  }
  return sum.value();
}

Solution solve(const GroupTable& table, const Restrictions& restrictions, const Limits& limits,
               const Options& options, const Monitor& monitor, bool record_trace,
               std::size_t threads, const NearRequest& near) {
  if (restrictions.max_leaves < table.size()) {  // no tree has more leaves than groups
    return solve_limited(table, restrictions, limits, options, monitor, record_trace, threads);
  }
  Solution solution{};
  Problem problem(table, restrictions);
  const double floor = problem.total() > 0 ? problem.floor() / problem.total() : 0;
  const auto as_objectives = [&](Progress progress) {
    progress.lower += floor;
    progress.upper += floor;
    return progress;
  };
  const auto report = [&](const Progress& progress) {
    if (record_trace) solution.trace.push_back(as_objectives(progress));
    return !monitor || monitor(as_objectives(progress));
  };
  Watch watch(limits, report);
  Search search(problem, options, watch, threads);
  const Bounds bounds = search.run();
  Extraction extraction(search.leader(), problem, watch);
  std::shared_ptr<const Shape> shape;
  const bool proven = !watch.stopped();
  if (proven) shape = extraction.canonical(bounds.upper);
  const Status stop = watch.status();
  if (shape == nullptr) {
    watch.release();
    shape = extraction.best_known(proven ? kInfinity : kSecondsToReadOff);
  }
  const auto objective = [&](const Tree& tree) {
    const double loss = problem.total() > 0 ? tree.loss() / problem.total() : 0;
    return loss + restrictions.regularization * static_cast<double>(tree.leaves());
  };
  solution.tree = describe(*shape, problem, table);
  solution.objective = objective(solution.tree);
  if (!proven) {
    // Never worse than the greedy trees that one would have had without a search.
    std::vector<std::shared_ptr<const Shape>> others{extraction.greedy(kSecondsToReadOff)};
    if (problem.loss().squared()) {
      others.push_back(grown_tree(problem, watch, kSecondsToReadOff));
    }
    for (const auto& other : others) {
      Tree tree = describe(*other, problem, table);
      if (!strictly_better(objective(tree), solution.objective)) continue;
      solution.objective = objective(tree);
      solution.tree = std::move(tree);
    }
  }
  // A search stopped while it compared equally good trees has proven its optimum all the same; of
  // the reasons to stop only a request is passed on.
  const bool optimal = proven && solution.objective <= bounds.upper + floor + kReadOffError;
  solution.status = stop;
  if (optimal && stop != Status::kInterrupted) solution.status = Status::kOptimal;
  if (!optimal && stop == Status::kOptimal) solution.status = Status::kTimeLimit;
  solution.lower_bound =
      optimal ? solution.objective : std::min(bounds.lower + floor, solution.objective);
  const Progress end = search.progress();
  solution.seconds = end.seconds;
  solution.solved = end.solved;
  solution.cached = end.cached;
  solution.bytes = end.bytes;
  if (record_trace) {
    solution.trace.push_back(end);
    solution.trace.back().lower = solution.lower_bound;
    solution.trace.back().upper = solution.objective;
  }
  if (near.max_trees > 0) {
    solution.near.status = optimal ? stop : solution.status;
    solution.near.lower_bound = solution.lower_bound;
    if (!optimal) return solution;
    NearShapes found;
    if (stop == Status::kOptimal) {
      found = near_optimal(search.leader(), problem, options, watch, bounds.upper, near);
      solution.near.status = watch.status();
      solution.near.lower_bound = found.bound + floor;
      solution.near.more = found.more;
    }
    for (const auto& each : found.shapes) {
      Tree tree = describe(*each, problem, table);
      const double value = objective(tree);
      solution.near.trees.push_back({std::move(tree), value});
    }
    // Stopped before the first round was over: the best tree is known all the same.
    if (found.shapes.empty()) solution.near.trees.push_back({solution.tree, solution.objective});
  }
  return solution;
}

}  // namespace optitree
