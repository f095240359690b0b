// The cost of a leaf under squared error.
#pragma once

#include "problem/cell.hpp"

namespace optitree {

// c(Q) = lambda + sum over groups of w (mean - mean_Q)² = lambda + square - sum² / weight.
inline double leaf_cost(const Cell& cell, double lambda) {
  return lambda + (cell.square() - cell.sum() * cell.sum() / cell.weight());
}

}  // namespace optitree
