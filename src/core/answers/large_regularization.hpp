// Regularizations so large that costs would have no digits left for the loss.
#pragma once

#include "answers/solution.hpp"
#include "search/task.hpp"

namespace optitree {

// A second leaf saves no more than all the loss there is, which is 1. Where it costs more than that
// the best tree is a single leaf, and of two trees the one with fewer leaves costs less, then the
// one with less loss: whatever the regularization is. So a larger one than this is searched as
// this, and only counted as it is.
inline constexpr double kLargestSearched = 2;

// The task with a regularization that can be searched.
Task searchable(const Task& task);

// What a leaf costs in the task above what it costs in the search.
double uncounted(const Task& task);

// Counts the leaves of what was found at what they cost in the task.
void count_leaves(Solution& solution, const Task& task);

}  // namespace optitree
