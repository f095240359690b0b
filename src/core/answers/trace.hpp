// The progress of a search on its way to the monitor, and what is kept of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "answers/solution.hpp"
#include "common/watch.hpp"
#include "search/task.hpp"

namespace optitree {

// Keeps the moments at which something became known. When there are too many, every other one goes.
class Trace {
 public:
  explicit Trace(const Task& task) : monitor_(task.monitor) {}

  // Bounds above the floor, in units of the root loss. Whether to go on.
  bool report(Progress progress, double floor) {
    progress.lower += floor;
    progress.upper += floor;
    keep(progress);
    return !monitor_ || monitor_(progress);
  }
  // Hands over what was kept, with the solution as its end. The solution is added up anew and may
  // differ from what the search had by its rounding: no moment knows more than the end does.
  void finish(Solution& solution) {
    solution.trace = std::move(points_);
    for (Progress& point : solution.trace) {
      point.lower = std::min(point.lower, solution.lower_bound);
      point.upper = std::max(point.upper, solution.objective);
    }
    solution.trace.push_back(
        {solution.effort, solution.lower_bound, solution.objective, solution.proven_depth});
  }

 private:
  static constexpr std::size_t kMost = 2000;

  void keep(const Progress& now) {
    if (!points_.empty()) {
      const Progress& last = points_.back();
      if (now.lower == last.lower && now.upper == last.upper &&
          now.proven_depth == last.proven_depth) {
        return;
      }
    }
    if (points_.size() == kMost) {
      for (std::size_t k = 0; k < kMost / 2; ++k) points_[k] = points_[2 * k];
      points_.resize(kMost / 2);
    }
    points_.push_back(now);
  }

  const Monitor& monitor_;
  std::vector<Progress> points_;
};

}  // namespace optitree
