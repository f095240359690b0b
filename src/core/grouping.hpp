// Rows that have the same code in every column become one group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace optitree {

// The codes of a column; or, where there are none, its values and the cuts between their bins,
// whose codes are then made a few at a time (see bin_codes).
struct CodeColumn {
  std::span<const std::uint32_t> codes;
  std::uint64_t size;  // every code is below it
  std::span<const double> values{}, cuts{};
};

// The group of every row, numbered by first appearance, and the first row of every group.
struct Partition {
  std::vector<std::uint32_t> group_of;
  std::vector<std::uint64_t> first;
};
Partition group_rows(std::span<const CodeColumn> columns, std::size_t rows);

// The codes of some rows, those of a row side by side.
std::vector<std::uint32_t> codes_of(std::span<const CodeColumn> columns,
                                    std::span<const std::uint64_t> rows);

// A condition on a column: low < x <= high, or, where the ends are NaN, x is missing. For a column
// of codes (of a category) x is the code.
struct Interval {
  std::size_t column;
  double low, high;
};

// A table grouped by what its conditions tell apart. The columns that have conditions are cut into
// the coarsest bins that decide them; `codes` has the bins of every group in these columns, `bits`
// its answers to all conditions, 64 to a word, the first in the lowest bit.
struct GroupedTable {
  Partition partition;
  std::vector<std::uint32_t> codes;
  std::vector<std::uint64_t> bits;
};
struct TableColumn {
  std::span<const double> values;
  std::span<const std::uint32_t> codes;  // of a category, which has no values
};
GroupedTable group_table(std::span<const TableColumn> columns, std::span<const Interval> conditions,
                         std::size_t rows);

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
