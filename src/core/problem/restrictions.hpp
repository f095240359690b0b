// Which trees are allowed.
#pragma once

#include <cstdint>
#include <limits>

#include "problem/cell.hpp"
#include "problem/group_data.hpp"

namespace optitree {

using Depth = std::uint16_t;
inline constexpr Depth kNoDepthLimit = std::numeric_limits<Depth>::max();
inline constexpr std::uint32_t kNoLeafLimit = std::numeric_limits<std::uint32_t>::max();

// One split less; no limit stays no limit.
inline Depth below(Depth depth) {
  return depth == kNoDepthLimit ? kNoDepthLimit : static_cast<Depth>(depth - 1);
}

struct Restrictions {
  double regularization;
  Depth max_depth = kNoDepthLimit;
  double min_samples_leaf = 1;
  std::uint32_t max_leaves = kNoLeafLimit;
};

// When a leaf is large enough: one lane of its cell holds at least so much. The lane is the weight
// wherever weights are proportional to rows, or one row is enough; else the last lane counts rows.
//
// Who depends on it: Problem::can_be_leaf, for everyone; the sweep over pairs of features, which
// compares four leaves at a time (costs/squared/depth_two.cpp); prices, which need the last lane
// for themselves and so exist only while it does not count rows; and the subset bound, which holds
// only where every part of a leaf may be a leaf (Worker::recall).
struct LeafSize {
  LeafSize(const GroupData& table, double min_samples_leaf);

  // Whether some set of groups is too small for a leaf.
  bool binds() const { return binds_; }
  bool counts_rows() const { return lane == kLastLane; }
  // What the last lane of a group begins with.
  double last_lane(double rows) const { return counts_rows() ? rows : 0; }

  static constexpr int kLastLane = 3;
  int lane = 0;
  double least = 0;

 private:
  bool binds_;
};

}  // namespace optitree
