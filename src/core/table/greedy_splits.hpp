// Where a greedy tree and a boosted ensemble split: proposals for the thresholds of a table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/lookout.hpp"

namespace optitree {

// One column of a table as codes. Ordered: its splits are "code <= c" against "code > c" (a missing
// value has the last code, so the last split is "is missing"). Not ordered, the levels of a
// category: its splits are sets of codes against the rest (`LevelSets`). There the last code is for
// what is missing, which is in no set but its own.
struct CodedColumn {
  std::span<const std::uint16_t> codes;  // one per row, below size
  std::uint32_t size;
  bool ordered;
  double pull = 0;  // of a category: see LevelSets
};

// Of splits that part the rows of a node alike, the one with the lowest code is named.
struct ProposedSplit {
  std::uint32_t column;
  std::uint32_t code;
  double gain;  // drop of the weighted sum of squares, over all nodes that make the split
  std::vector<std::uint16_t> levels{};  // of a category: the set, ascending; its `code` is 0
};

// Neither function depends on the order of the rows, to the last bit, nor, but for rounding, on a
// constant added to the target. Gains that differ by no more than 1e-12 of the root's sum of
// squares are equal, and such a gain is none. Of equal splits the first column wins, then the
// lowest code, or the set that `LevelSets` names first.

// The splits of a greedy tree grown best first, in the order they were made. A split made in
// several nodes is listed once, where it came first. `weight` is positive; empty = all 1.
std::vector<ProposedSplit> greedy_splits(std::span<const CodedColumn> columns,
                                         std::span<const double> target,
                                         std::span<const double> weight, std::uint32_t max_leaves,
                                         Lookout lookout = {});

// The splits of `rounds` greedy trees of `leaves` leaves, each fitted to what `rate` times the
// trees before it left of the target. In descending order of total gain, then by column and code.
struct Ensemble {
  std::uint32_t rounds, leaves;
  double rate;
};
std::vector<ProposedSplit> boosted_splits(std::span<const CodedColumn> columns,
                                          std::span<const double> target,
                                          std::span<const double> weight, const Ensemble& ensemble,
                                          Lookout lookout = {});

}  // namespace optitree
