// What the caller hands over: groups, and which trees are allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace optitree {

// The arrays belong to the caller and outlive the search.
struct GroupTable {
  std::span<const std::uint64_t> bits;  // groups x words, bit f of a group = feature f holds
  std::span<const double> weight;
  std::span<const double> mean;     // mean target of the group, from an origin near the centre
  std::span<const double> scatter;  // weighted squared deviations from that mean
  std::span<const double> rows;
  std::size_t features;
  // Only for losses that need them: the distinct pairs of a group and a target.
  std::span<const std::uint32_t> point_group{};
  std::span<const double> point_value{};
  std::span<const double> point_weight{};

  std::size_t size() const { return weight.size(); }
  std::size_t words() const { return (features + 63) / 64; }
};

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

// When a leaf is large enough: a lane of its cell holds at least so much. It is the weight wherever
// weights are proportional to rows, or one row is enough; else the last lane counts rows.
struct LeafSize {
  LeafSize(const GroupTable& table, double min_samples_leaf);

  // What the last lane of a group begins with.
  double last_lane(double rows) const { return lane == kLastLane ? rows : 0; }

  static constexpr int kLastLane = 3;
  int lane = 0;
  double least = 0;
};

}  // namespace optitree
