// Every optimal tree as the regularization falls.
#pragma once

#include <vector>

#include "answers/descent.hpp"
#include "common/watch.hpp"
#include "search/task.hpp"

namespace optitree {

struct Path {
  Status status;
  std::vector<Step> steps;  // from few leaves to many; neighbours meet unless a limit came first
  Effort effort;
  // If it is not 0 rounding leaves open whether the trees of the steps are optimal: others may be
  // better by this.
  double error = 0;
  // Trees that were known when a request to stop came, below the last step: of those nothing is
  // proven.
  std::vector<Tree> known;
};

// From one leaf down to the regularization of the task, or until the first tree with as many leaves
// as it allows, or more; the last step may then have more.
Path solve_path(const Task& task);

}  // namespace optitree
