#include "answers/large_regularization.hpp"

#include <algorithm>

namespace optitree {

Task searchable(const Task& task) {
  Task searched = task;
  double& regularization = searched.restrictions.regularization;
  regularization = std::min(regularization, kLargestSearched);
  if (const double more = uncounted(task); more > 0 && task.monitor) {
    // Trees of one leaf are all that such a search has to show.
    searched.monitor = [more, monitor = task.monitor](Progress progress) {
      progress.lower += more;
      progress.upper += more;
      return monitor(progress);
    };
  }
  return searched;
}

double uncounted(const Task& task) {
  return std::max(task.restrictions.regularization - kLargestSearched, 0.0);
}

void count_leaves(Solution& solution, const Task& task) {
  const double more = uncounted(task);
  solution.objective += more * static_cast<double>(solution.tree.leaves());
  solution.lower_bound += more;  // every tree has a leaf
  for (Progress& progress : solution.trace) {
    progress.lower += more;
    progress.upper += more;
  }
}

}  // namespace optitree
