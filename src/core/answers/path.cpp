#include "answers/path.hpp"

#include <algorithm>
#include <iterator>

#include "answers/describe.hpp"
#include "answers/rounding.hpp"
#include "answers/trace.hpp"
#include "answers/unproven.hpp"

namespace optitree {

namespace {

// Finds all trees between a step and the one after it. False at a limit.
bool refine(Descent& descent, Descent::At few, std::uint32_t max_leaves) {
  const auto many = std::next(few);
  if (many == descent.steps().end() || few->leaves > max_leaves) return true;
  const double r = Descent::crossing(*few, *many);
  if (!descent.solve_at(r, few)) return false;
  const auto between = std::next(few);
  if (between != many && between->leaves >= many->leaves) {  // a tie that rounding has broken
    descent.steps().erase(between);
  } else if (between != many) {
    return refine(descent, few, max_leaves) && refine(descent, between, max_leaves);
  }
  few->low = many->high = r;
  return true;
}

// What one would not want to lose with Ctrl-C. At a limit there is nobody to wait: whoever set it
// has kept time for better trees than these.
std::vector<Tree> known_trees(Descent& descent, const Task& task) {
  std::vector<Tree> trees;
  for (const auto& shape :
       unproven_trees(descent.search(), descent.problem(), descent.watch(), task)) {
    trees.push_back(describe(*shape, descent.problem(), task));
  }
  return trees;
}

}  // namespace

Path solve_path(const Task& task) {
  const Restrictions& restrictions = task.restrictions;
  Trace trace(task);
  double floor = 0;
  Descent descent(task, [&](const Progress& progress) { return trace.report(progress, floor); });
  floor = descent.problem().floor_share();
  Descent::Steps& steps = descent.steps();
  double at = descent.problem().regularization();
  bool complete = true;
  while (at > restrictions.regularization && steps.back().leaves <= restrictions.max_leaves &&
         steps.back().loss > 0) {
    at = next_down(at, restrictions.regularization);
    const auto last = std::prev(steps.end());
    complete = descent.solve_at(at, last) && refine(descent, last, restrictions.max_leaves);
    if (!complete) break;
  }
  // A tree without loss that is optimal somewhere is optimal wherever leaves are cheaper.
  Step& last = steps.back();
  if (last.loss <= 0) last.low = std::min(last.low, restrictions.regularization);
  Path path{};
  path.error = error_of(descent.problem());
  path.status = final_status(complete && path.error == 0, descent.watch().status());
  std::ranges::move(steps, std::back_inserter(path.steps));
  path.effort = descent.search().progress();
  if (!complete && path.status == Status::kInterrupted) path.known = known_trees(descent, task);
  return path;
}

}  // namespace optitree
