#include "answers/solve.hpp"

#include "answers/max_leaves.hpp"
#include "answers/one_search.hpp"

namespace optitree {

Solution solve(const Task& task) {
  const bool may_bind = task.restrictions.max_leaves < task.table.size();  // a leaf has a group
  return may_bind ? solve_with_max_leaves(task) : OneSearch(task).solve();
}

}  // namespace optitree
