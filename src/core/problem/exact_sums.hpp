// Sums without rounding.
//
// Weights, sums and squares are rounded once, each to a grid so coarse that the sum of all absolute
// values needs no more than 52 bits. From then on every addition and subtraction of cells is exact:
// statistics of a big child are those of its parent minus those of its sibling, bit for bit, and
// the cost of a support does not depend on the splits that led to it.
//
// What is searched is therefore a table of slightly different weights and means, and what is proven
// of it is true of the given one up to the error that RoundingError adds up: no tree costs less, or
// more, than in the search by more than that. Weights that are far apart make it large, if the
// lightest groups have much of the loss. The answers see to it (answers/rounding.hpp).
#pragma once

#include <algorithm>
#include <cmath>

namespace optitree {

// The grid on which sums of absolute value up to `bound` are exact in 52 bits.
inline double grid_for(double bound) {
  if (bound <= 0) return 1;
  int exponent = 0;
  std::frexp(bound, &exponent);
  return std::ldexp(1.0, exponent - 52);
}

// Groups of parts of a table are added up as multiples of 2^-62 of a power of two that is less than
// twice the heaviest (table/grouping.cpp): what a weight, or a weight times a target as a share of
// the range, is off by at most when it gets here.
inline double grouping_error(double heaviest) { return std::ldexp(heaviest, -61); }

inline double round_to(double value, double grid) { return std::nearbyint(value / grid) * grid; }

// What rounding weights changes the loss of any tree by, at most.
//
// A tree with given predictions loses the sum of w x over the groups (or points), where x is what a
// unit of weight loses there. Let w' be the rounded weights. Those with |w' - w| <= r w change the
// sum by no more than r times itself; each of the others by no more than |w' - w| times the largest
// x there can be. With the predictions that are best for w the loss for w' is no more than that
// above the one for w, and the other way round. So it is the same for the best predictions.
class RoundingError {
 public:
  // A weight that has changed by no more than `change`; a unit of it loses `most` at most.
  void add(double given, double change, double most) {
    if (change <= kSmall * given) small_ = std::max(small_, change / given);
    else others_ += change * most;
  }
  // Of trees that lose no more than `loss`.
  double of(double loss) const { return small_ * loss + others_; }

 private:
  static constexpr double kSmall = 1e-10;
  double small_ = 0;
  double others_ = 0;
};

}  // namespace optitree
