// Partitions of a support into leaves, and the best so many of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "problem/problem.hpp"
#include "problem/shape.hpp"

namespace optitree {

// Costs of partitions are counted in ticks, whole numbers: a sum of leaves does not depend on the
// order of its terms.
using Ticks = std::int64_t;

class TickScale {
 public:
  // For costs up to `largest`.
  explicit TickScale(double largest);

  Ticks of(double cost) const;
  double cost(Ticks ticks) const { return static_cast<double>(ticks) * tick_; }
  Ticks tolerance() const { return of(kTolerance); }  // costs no further apart are equal

 private:
  double tick_;
};

// Leaves by the numbers of their supports. Many trees may have these leaves: `shape` is the first
// of them in the order of trees.
struct LeafSet {
  Ticks cost = 0;
  std::uint64_t hash = 0;             // of the leaves; proposes, never decides
  std::vector<std::uint32_t> leaves;  // ascending
  std::shared_ptr<const Shape> shape;

  std::size_t bytes() const;
};

LeafSet single_leaf(Ticks cost, std::uint32_t number, std::shared_ptr<const Shape> leaf);

// The order of trees of equal cost: fewest leaves, then least depth, then the earliest feature at
// the root, then the order of the subtrees where it holds, then of those where it does not.
// Replacing a subtree by one that comes before it gives a tree that comes before.
// Negative if a comes first, 0 if they are the same tree.
int compare(const Shape& a, const Shape& b, const Problem& problem);

// Collects partitions of one support, each once, and keeps the best. The order of partitions is
// that of their costs, and where these are equal, of their trees. Costs are equal if they, or all
// that come between them, are no further apart than the tolerance.
class BestLeafSets {
 public:
  // At most `most` partitions that cost no more than `limit`.
  BestLeafSets(const Problem& problem, const TickScale& scale, std::size_t most, Ticks limit);

  void offer(LeafSet&& set);
  // The partition of the two sides of a split.
  void offer(Literal literal, const LeafSet& zero, const LeafSet& one);
  // What costs more is no longer needed. Falls once there are enough.
  Ticks limit() const { return limit_; }
  // In order.
  std::vector<LeafSet> take();

 private:
  void trim();

  const Problem& problem_;
  const TickScale& scale_;
  const std::size_t most_;
  Ticks limit_;
  std::vector<LeafSet> found_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
  std::vector<std::uint32_t> leaves_;  // scratch
};

}  // namespace optitree
