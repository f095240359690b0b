// Rows that no feature tells apart become one group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace optitree {

struct RowTable {
  std::span<const std::uint64_t> bits;  // rows x words
  std::size_t words;
  std::span<const double> target;  // from an origin near the centre
  std::span<const double> weight;  // positive; empty = all 1
};

struct Groups {
  std::vector<std::uint64_t> bits;  // groups x words, in order of first appearance
  std::vector<double> weight;
  std::vector<double> mean;
  std::vector<double> scatter;
  std::vector<double> rows;
};

// The statistics of a group do not depend on the order of its rows, to the last bit: they are
// summed as integers, on a grid of 2^-62 of the largest term.
Groups group_rows(const RowTable& table);

}  // namespace optitree
