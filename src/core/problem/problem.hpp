// The problem as the search sees it: groups in order of their targets, minority-coded features.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/cell.hpp"
#include "problem/chains.hpp"
#include "problem/group_data.hpp"
#include "problem/measured_groups.hpp"
#include "problem/restrictions.hpp"
#include "problem/target_points.hpp"

namespace optitree {

// Costs are measured in units of the root loss. Two trees are equally good when their costs differ
// by no more than this; whether to prune and whether costs are equal is decided by
// strictly_better() alone.
inline constexpr double kTolerance = 1e-12;
inline bool strictly_better(double cost, double than) { return cost < than - kTolerance; }

// A literal is 2 * feature + 1 for "bit set" and 2 * feature for "bit clear", in the coding of
// `bits` below.
using Literal = std::uint32_t;

// The groups of a support, ascending: in order of what they alone would predict, their means.
using Members = std::span<const std::uint32_t>;

class Problem {
 public:
  Problem(const GroupData& table, const Restrictions& restrictions, MeasuredGroups&& measured);

  std::size_t groups() const { return measured_.cells.size(); }
  std::size_t features() const { return features_; }
  std::size_t words() const { return words_; }
  const Restrictions& restrictions() const { return restrictions_; }
  double regularization() const { return restrictions_.regularization; }

  // Whether a leaf may stand on groups with these statistics; empty sets may not.
  bool can_be_leaf(const Cell& cell) const {
    return cell.lanes[leaf_size_.lane] >= leaf_size_.least;
  }
  const LeafSize& leaf_size() const { return leaf_size_; }
  // Whether the last lane is free for them, and the loss is one they can be made for.
  bool has_prices() const { return has_prices_; }
  void set_regularization(double regularization) { restrictions_.regularization = regularization; }
  void set_prices(std::span<const double> prices);
  std::size_t times_priced() const { return times_priced_; }

  const Cell& cell(std::uint32_t group) const { return measured_.cells[group]; }
  const Cell* cells() const { return measured_.cells.data(); }
  const Cell& total_cell() const { return measured_.total; }
  // What a group alone would predict: its mean, or the lowest of its best predictions.
  double mean(std::uint32_t group) const { return measured_.mean[group]; }
  const std::uint64_t* bits(std::uint32_t group) const { return &bits_[group * words_]; }
  // Tells of a group whether the literal holds.
  auto holds(Literal literal) const {
    const std::uint64_t feature = literal >> 1;  // 64 bits: lists of groups are no aliases of it
    return [word = &bits_[feature / 64], words = words_, shift = feature % 64, value = literal & 1](
               std::uint32_t group) { return ((word[group * words] >> shift) & 1) == value; };
  }
  // Some groups by the value of a feature: where it is 0, where it is 1.
  std::array<std::vector<std::uint32_t>, 2> sides_of(Members members, std::uint32_t feature) const;
  // The features that are 1 in a group, ascending.
  std::span<const std::uint32_t> ones(std::uint32_t group) const {
    return {ones_.data() + ones_begin_[group], ones_.data() + ones_begin_[group + 1]};
  }
  std::size_t most_ones() const { return most_ones_; }
  const Chains& chains() const { return chains_; }
  // A fixed pseudo-random number per group; the hash of a support is their sum.
  std::uint64_t tag(std::uint32_t group) const { return tags_[group]; }
  const std::uint64_t* tags() const { return tags_.data(); }
  // The bit that stands for the caller's "holds": 0 where that is the more frequent value.
  int yes(std::uint32_t feature) const { return flipped_[feature] != 0 ? 0 : 1; }
  // The caller's index of a group.
  std::uint32_t original(std::uint32_t group) const { return measured_.original[group]; }

  // See MeasuredGroups. Empty under losses that sums tell.
  const std::vector<Point>& points() const { return measured_.points; }
  double scale() const { return measured_.scale; }
  double slope(std::uint32_t group) const { return measured_.slope[group]; }

  // What the arrays take.
  std::size_t bytes() const;

  // The loss of a single leaf, as an unscaled sum; its cost as the search counts costs, above the
  // floor; and the floor, the loss inside groups, in units of the root loss.
  double root_loss() const { return measured_.root_loss; }
  // What rounding has changed the cost of any tree by, at most.
  double error() const { return measured_.error; }
  double root_cost() const { return restrictions_.regularization + measured_.root_excess; }
  double floor_share() const {
    return measured_.root_loss > 0 ? measured_.floor / measured_.root_loss : 0;
  }

 private:
  void encode_features(const GroupData& table);

  Restrictions restrictions_;
  LeafSize leaf_size_;
  MeasuredGroups measured_;
  std::size_t features_;
  std::size_t words_;
  bool has_prices_;
  std::size_t times_priced_ = 0;
  std::size_t most_ones_ = 0;
  std::vector<std::uint64_t> bits_;
  Chains chains_;
  std::vector<std::uint32_t> ones_;
  std::vector<std::size_t> ones_begin_;
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint8_t> flipped_;
};

}  // namespace optitree
