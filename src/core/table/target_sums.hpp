// What greedy trees add up of rows.
#pragma once

#include <cstdint>

namespace optitree {

// The weight of a set of rows and the sum of weight times target, in steps.
struct TargetSums {
  std::int64_t weight = 0;
  std::int64_t sum = 0;
};
inline TargetSums operator+(const TargetSums& a, const TargetSums& b) {
  return {a.weight + b.weight, a.sum + b.sum};
}
inline TargetSums operator-(const TargetSums& a, const TargetSums& b) {
  return {a.weight - b.weight, a.sum - b.sum};
}

}  // namespace optitree
