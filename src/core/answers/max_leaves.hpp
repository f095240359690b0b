// The best tree with at most so many leaves.
#pragma once

#include "answers/solution.hpp"
#include "search/task.hpp"

namespace optitree {

// The number of leaves in the restrictions of the task is one that may bind.
Solution solve_with_max_leaves(const Task& task);

}  // namespace optitree
