// All trees that are nearly as good as the best.
#pragma once

#include <cstddef>

#include "answers/shared_trees.hpp"
#include "answers/solution.hpp"
#include "common/watch.hpp"
#include "search/task.hpp"

namespace optitree {

// Which trees are wanted: those whose objective exceeds the optimum by no more than a share of it,
// but not more than so many.
struct NearRequest {
  double within = 0;
  std::size_t max_trees = 1;
};

// One tree for each partition of the groups into leaves: fewest leaves first among equally good
// ones, then least depth, then the earliest features.
struct NearOptimalTrees {
  Solution best;
  Status status = Status::kOptimal;  // or what ended it before all were found
  SharedTrees trees;                 // in order; none if the optimum is not proven
  double lower_bound = 0;            // no tree that is missing has an objective below it
  bool more = false;                 // than were asked for
};

// There must be no limit on the number of leaves.
NearOptimalTrees solve_near_optimal(const Task& task, const NearRequest& request);

}  // namespace optitree
