// Sums without rounding.
//
// Weights, sums and squares are rounded once, each to a grid so coarse that the sum of all absolute
// values needs no more than 52 bits. From then on every addition and subtraction of cells is exact:
// statistics of a big child are those of its parent minus those of its sibling, bit for bit, and
// the cost of a support does not depend on the splits that led to it. The rounding itself changes
// costs by about 1e-16 of the root loss times the ratio of all weight to that of the lightest group
// with an extreme mean: nothing to speak of unless weights differ by many orders of magnitude,
// which is refused before it gets here.
#pragma once

#include <cmath>

namespace optitree {

// The grid on which sums of absolute value up to `bound` are exact in 52 bits.
inline double grid_for(double bound) {
  if (bound <= 0) return 1;
  int exponent = 0;
  std::frexp(bound, &exponent);
  return std::ldexp(1.0, exponent - 52);
}

inline double round_to(double value, double grid) { return std::nearbyint(value / grid) * grid; }

}  // namespace optitree
