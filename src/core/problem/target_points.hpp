// Points: the target values of the groups, for losses that a mean and a scatter do not tell.
#pragma once

#include <cstdint>
#include <span>

namespace optitree {

// A value of the target in a group, and the weight of the rows that have it.
struct Point {
  double value;
  double weight;
  std::uint32_t group;
};

// Points of a problem by their numbers, ascending: in order of their values.
using PointList = std::span<const std::uint32_t>;

}  // namespace optitree
