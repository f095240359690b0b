// What a proof about rounded costs says about those that were given.
#pragma once

#include "answers/solution.hpp"
#include "problem/problem.hpp"

namespace optitree {

// A tree is called optimal if none is better by more than this, in units of the root loss.
inline constexpr double kMostError = 1e-9;

// What has to be taken off lower bounds. Nothing where it is too little to tell.
inline double error_of(const Problem& problem) {
  return problem.error() > kMostError ? problem.error() : 0;
}

// Takes back what rounding leaves open.
void allow_for_rounding(Solution& solution, const Problem& problem);

}  // namespace optitree
