// The statistics of a set of groups that the search needs, as one vector.
#pragma once

// The hot loops are compiled twice on x86-64 Linux and the faster version is chosen when the
// library is loaded. Results are the same to the last bit: sums are exact (see problem.hpp) and
// contraction to fused multiply-add is off.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(OPTITREE_PLAIN)
#define OPTITREE_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#else
#define OPTITREE_MULTIVERSION
#endif

namespace optitree {

using Lanes = double __attribute__((vector_size(32)));
using LaneMask = long long __attribute__((vector_size(32)));

// weight, sum = weighted sum of the centred target, square = sum over the groups of sum²/weight,
// and the prices of the groups (prices.hpp). All four add up over disjoint sets. Where weights do
// not tell the rows of a leaf and leaves must have several, the last lane counts rows instead (see
// Problem). What handles lanes by value is always inlined: calls between differently compiled
// versions would not agree how to pass them.
struct alignas(32) Cell {
  Lanes lanes{};

  double weight() const { return lanes[0]; }
  double sum() const { return lanes[1]; }
  double square() const { return lanes[2]; }
  double price() const { return lanes[3]; }
};

inline __attribute__((always_inline)) Cell operator+(const Cell& a, const Cell& b) {
  return {a.lanes + b.lanes};
}
inline __attribute__((always_inline)) Cell operator-(const Cell& a, const Cell& b) {
  return {a.lanes - b.lanes};
}

}  // namespace optitree
