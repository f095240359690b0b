// The statistics of a set of groups that the search needs, as one vector.
#pragma once

#include "common/lanes.hpp"

namespace optitree {

// weight, sum = weighted sum of the centred target, square = sum over the groups of sum²/weight,
// and the prices of the groups (costs/prices.hpp). All four add up over disjoint sets. The last
// lane counts rows instead of prices where a leaf must have several rows and its weight does not
// tell how many it has (LeafSize). Pinball losses have other lanes
// (costs/pinball/pinball_loss.hpp).
struct alignas(32) Cell {
  Lanes lanes{};

  double weight() const { return lanes[0]; }
  double sum() const { return lanes[1]; }
  double square() const { return lanes[2]; }
  double price() const { return lanes[3]; }
};

OPTITREE_INLINE Cell operator+(const Cell& a, const Cell& b) { return {a.lanes + b.lanes}; }
OPTITREE_INLINE Cell operator-(const Cell& a, const Cell& b) { return {a.lanes - b.lanes}; }

}  // namespace optitree
