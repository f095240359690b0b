// Four numbers at a time.
#pragma once

// The hot loops are compiled twice on x86-64 Linux and the faster version is chosen when the
// library is loaded. Results are the same to the last bit: sums are exact (problem/exact_sums.hpp)
// and contraction to fused multiply-add is off.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(OPTITREE_PLAIN)
#define OPTITREE_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#else
#define OPTITREE_MULTIVERSION
#endif

// What handles lanes by value is always inlined: calls between differently compiled versions would
// not agree how to pass them.
#define OPTITREE_INLINE inline __attribute__((always_inline))

#include <cstddef>

namespace optitree {

using Lanes = double __attribute__((vector_size(32)));
using LaneMask = long long __attribute__((vector_size(32)));
inline constexpr std::size_t kLanes = 4;

OPTITREE_INLINE Lanes least(const Lanes& a, const Lanes& b) { return a < b ? a : b; }
OPTITREE_INLINE Lanes most(const Lanes& a, const Lanes& b) { return a > b ? a : b; }
OPTITREE_INLINE Lanes clamp(const Lanes& x, const Lanes& from, const Lanes& to) {
  const Lanes low = x < from ? from : x;
  return low > to ? to : low;
}
OPTITREE_INLINE Lanes load(const double* from) {
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
OPTITREE_INLINE void store(double* to, const Lanes& lanes) {
  __builtin_memcpy(to, &lanes, sizeof lanes);
}
// The least of the lanes of a, then that of b; the other two lanes repeat them.
OPTITREE_INLINE Lanes least_of_each(const Lanes& a, const Lanes& b) {
  const Lanes pairs =
      least(__builtin_shufflevector(a, b, 0, 4, 2, 6), __builtin_shufflevector(a, b, 1, 5, 3, 7));
  return least(pairs, __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1));
}

}  // namespace optitree
