#include "answers/rounding.hpp"

#include <algorithm>

namespace optitree {

void allow_for_rounding(Solution& solution, const Problem& problem) {
  const double error = error_of(problem);
  if (error == 0) return;
  solution.lower_bound = std::max(solution.lower_bound - error, 0.0);
  solution.proven_depth = 0;
  for (Progress& progress : solution.trace) {
    progress.lower = std::max(progress.lower - error, 0.0);
    progress.proven_depth = 0;
  }
  if (solution.status == Status::kOptimal) solution.status = Status::kPrecisionLimit;
}

}  // namespace optitree
