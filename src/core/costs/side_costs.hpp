// What the two sides of the splits of a node cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/room.hpp"

namespace optitree {

// For every position on the axis of a node, by side: side 1 is where its feature is 1, side 0 the
// rest. Costs are infinite where a leaf would be too small.
struct SideCosts {
  std::vector<double> leaf[2];
  std::vector<double> stump[2];   // cheapest split into two leaves
  std::vector<double> deeper[2];  // lower bound on every tree with three or more leaves

  void make_room(std::size_t positions) {
    for (const int side : {0, 1}) {
      for (auto* costs : {&leaf[side], &stump[side], &deeper[side]}) {
        optitree::make_room(*costs, positions);
      }
    }
  }
};

// The best tree with at most two splits on the way to a leaf.
struct DepthTwo {
  double cost;
  std::uint32_t leaves;
};

}  // namespace optitree
