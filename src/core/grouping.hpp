// Rows that have the same code in every column become one group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace optitree {

struct CodeColumn {
  std::span<const std::uint32_t> codes;
  std::uint64_t size;  // every code is below it
};

// The group of every row, numbered by first appearance, and the first row of every group.
struct Partition {
  std::vector<std::uint32_t> group_of;
  std::vector<std::uint64_t> first;
};
Partition group_rows(std::span<const CodeColumn> columns, std::size_t rows);

// What is known of each part of a group: a row of the table, or a group of an earlier grouping.
struct Parts {
  std::span<const double> mean;     // from an origin near the centre
  std::span<const double> weight;   // positive; empty = all 1
  std::span<const double> scatter;  // weighted sum of squares about the mean; empty = all 0
  std::span<const double> rows;     // empty = all 1
};
struct Statistics {
  std::vector<double> weight, mean, scatter, rows;
};

// Adds up the parts of every group. The result does not depend on the order of the parts, to the
// last bit: they are summed as integers, on a grid of 2^-62 of the largest term.
Statistics add_up(std::span<const std::uint32_t> group_of, std::size_t groups, const Parts& parts);

}  // namespace optitree
