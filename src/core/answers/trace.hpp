// The progress of a search on its way to the monitor, and what is recorded of it.
#pragma once

#include <vector>

#include "answers/solution.hpp"
#include "common/watch.hpp"
#include "search/task.hpp"

namespace optitree {

class Trace {
 public:
  explicit Trace(const Task& task) : monitor_(task.monitor), record_(task.record_trace) {}

  // Bounds above the floor, in units of the root loss. Whether to go on.
  bool report(Progress progress, double floor) {
    progress.lower += floor;
    progress.upper += floor;
    if (record_) points_.push_back(progress);
    return !monitor_ || monitor_(progress);
  }
  // Hands over what was recorded, with the solution as its end.
  void finish(Solution& solution) {
    if (!record_) return;
    solution.trace = std::move(points_);
    solution.trace.push_back({solution.effort, solution.lower_bound, solution.objective});
  }

 private:
  const Monitor& monitor_;
  const bool record_;
  std::vector<Progress> points_;
};

}  // namespace optitree
