// The core in one call: groups in, a solution out.
#pragma once

#include "answers/solution.hpp"
#include "search/task.hpp"

namespace optitree {

Solution solve(const Task& task);

}  // namespace optitree
