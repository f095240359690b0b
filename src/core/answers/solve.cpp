#include "answers/solve.hpp"

#include "answers/large_regularization.hpp"
#include "answers/max_leaves.hpp"
#include "answers/one_search.hpp"
#include "answers/rounding.hpp"

namespace optitree {

namespace {

Solution solve_without_max_leaves(const Task& task) {
  OneSearch search(task);
  Solution solution = search.solve();
  allow_for_rounding(solution, search.problem());
  return solution;
}

}  // namespace

Solution solve(const Task& task) {
  const bool may_bind = task.restrictions.max_leaves < task.table.size();  // a leaf has a group
  const Task searched = searchable(task);
  Solution solution =
      may_bind ? solve_with_max_leaves(searched) : solve_without_max_leaves(searched);
  count_leaves(solution, task);
  return solution;
}

}  // namespace optitree
