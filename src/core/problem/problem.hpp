// The problem as the search sees it: groups in order of their targets, minority-coded features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "problem/cell.hpp"
#include "problem/target_points.hpp"

namespace optitree {

using Depth = std::uint16_t;
inline constexpr Depth kNoDepthLimit = std::numeric_limits<Depth>::max();
inline constexpr std::uint32_t kNoLeafLimit = std::numeric_limits<std::uint32_t>::max();

// Costs are measured in units of the root loss. Two trees are equally good when their costs differ
// by no more than this; whether to prune and whether costs are equal is decided by
// strictly_better() alone.
inline constexpr double kTolerance = 1e-12;
inline bool strictly_better(double cost, double than) { return cost < than - kTolerance; }

// What the caller hands over; the arrays belong to the caller and outlive the problem.
struct GroupTable {
  std::span<const std::uint64_t> bits;  // groups x words, bit f of a group = feature f holds
  std::span<const double> weight;
  std::span<const double> mean;     // mean target of the group, from an origin near the centre
  std::span<const double> scatter;  // weighted squared deviations from that mean
  std::span<const double> rows;
  std::size_t features;
  // Only for losses other than squared error: the distinct pairs of a group and a target.
  std::span<const std::uint32_t> point_group{};
  std::span<const double> point_value{};
  std::span<const double> point_weight{};

  std::size_t size() const { return weight.size(); }
  std::size_t words() const { return (features + 63) / 64; }
};

struct Restrictions {
  double regularization;
  Depth max_depth = kNoDepthLimit;
  double min_samples_leaf = 1;
  std::uint32_t max_leaves = kNoLeafLimit;
  Loss loss{};
};

// A literal is 2 * feature + 1 for "bit set" and 2 * feature for "bit clear", in the coding of
// `bits` below.
using Literal = std::uint32_t;

// The groups of a support, ascending: in order of what they alone would predict, their means.
using Members = std::span<const std::uint32_t>;

// Exact sums. Weights, sums and squares are rounded once, each to a grid so coarse that the sum of
// all absolute values needs no more than 52 bits. From then on every addition and subtraction of
// cells is exact: statistics of a big child are those of its parent minus those of its sibling,
// bit for bit, and the cost of a support does not depend on the path that led to it. The rounding
// itself changes costs by about 1e-16 of the root loss times the ratio of all weight to that of the
// lightest group with an extreme mean: nothing to speak of unless weights differ by many orders of
// magnitude, which is refused before it gets here.
//
// Under other losses than squared error the cost of a leaf is measured along the points of its
// groups (walks.hpp). Cells then have the weight, nothing, and the floor of the groups: what each
// costs alone. Weights of points and floors are on the grids of weights and squares.
class Problem {
 public:
  Problem(const GroupTable& table, const Restrictions& restrictions);

  std::size_t groups() const { return cells_.size(); }
  std::size_t features() const { return features_; }
  std::size_t words() const { return words_; }
  const Restrictions& restrictions() const { return restrictions_; }
  double regularization() const { return restrictions_.regularization; }
  const Loss& loss() const { return restrictions_.loss; }

  // Whether a leaf may stand on groups with these statistics; empty sets may not.
  bool can_be_leaf(const Cell& cell) const { return cell.lanes[size_lane_] >= least_size_; }
  // The lane that tells whether a leaf is large enough, and the least that it must hold. It is the
  // weight wherever weights are proportional to rows, or one row is enough.
  int size_lane() const { return size_lane_; }
  double least_size() const { return least_size_; }
  // Whether the last lane is free for them, and the loss is the one they are made for.
  bool has_prices() const { return size_lane_ == 0 && loss().squared(); }
  void set_regularization(double regularization) { restrictions_.regularization = regularization; }
  void set_prices(std::span<const double> prices);
  std::size_t times_priced() const { return times_priced_; }

  const Cell& cell(std::uint32_t group) const { return cells_[group]; }
  const Cell* cells() const { return cells_.data(); }
  const Cell& total_cell() const { return total_cell_; }
  // What a group alone would predict: its mean, or the lowest of its best predictions.
  double mean(std::uint32_t group) const { return mean_[group]; }
  const std::uint64_t* bits(std::uint32_t group) const { return &bits_[group * words_]; }
  bool holds(std::uint32_t group, Literal literal) const {
    const std::uint32_t feature = literal >> 1;
    return ((bits_[group * words_ + feature / 64] >> (feature % 64)) & 1) == (literal & 1);
  }
  // The features that are 1 in a group, ascending.
  const std::uint32_t* ones() const { return ones_.data(); }
  const std::uint32_t* ones_begin() const { return ones_begin_.data(); }
  std::size_t most_ones() const { return most_ones_; }
  // A fixed pseudo-random number per group; the hash of a support is their sum.
  std::uint64_t tag(std::uint32_t group) const { return tags_[group]; }
  const std::uint64_t* tags() const { return tags_.data(); }
  // True where the caller's "holds" is stored as 0, because it is the more frequent value.
  bool flipped(std::uint32_t feature) const { return flipped_[feature] != 0; }
  // The caller's index of a group.
  std::uint32_t original(std::uint32_t group) const { return original_[group]; }

  // The points of all groups in order of their values, which are the caller's; what scales their
  // differences so that the root loss is 1; and the slope of a group (Prediction).
  const std::vector<Point>& points() const { return points_; }
  double scale() const { return scale_; }
  double slope(std::uint32_t group) const { return slope_[group]; }
  // The points of some groups. For the few that are described, not for the search.
  std::vector<Point> points_of(Members members) const;

  // Loss inside the groups, which no tree removes, and loss of the best single leaf; unscaled sums.
  double floor() const { return floor_; }
  double total() const { return total_; }

 private:
  void sort_by(const GroupTable& table, std::span<const double> mean);
  void measure_points(const GroupTable& table);
  void measure(const GroupTable& table);
  void restore_order();
  void choose_size_lane(const GroupTable& table);
  void encode_features(const GroupTable& table);

  Restrictions restrictions_;
  std::size_t features_;
  std::size_t words_;
  int size_lane_ = 0;
  double least_size_ = 0;
  std::size_t times_priced_ = 0;
  double floor_ = 0;
  double total_ = 0;
  double scale_ = 0;
  std::size_t most_ones_ = 0;
  std::vector<std::uint32_t> original_;
  std::vector<Cell> cells_;
  Cell total_cell_;
  std::vector<double> mean_;
  std::vector<double> slope_;
  std::vector<Point> points_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> ones_;
  std::vector<std::uint32_t> ones_begin_;
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint8_t> flipped_;
};

}  // namespace optitree
