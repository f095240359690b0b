// Rows that have the same code in every column become one group.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "common/lookout.hpp"

namespace optitree {

// A column of a table: numbers, numbers that are bytes, or the codes of a category.
using TableColumn = std::variant<std::span<const double>, std::span<const std::uint8_t>,
                                 std::span<const std::uint32_t>>;

// A column and the thresholds that make bins of its numbers (see bin_codes); codes are taken as
// they are.
struct BinnedColumn {
  TableColumn column;
  std::uint64_t size;  // every code is below it
  std::span<const double> thresholds{};
};

// The group of every row, numbered by first appearance, and the first row of every group.
struct Partition {
  std::vector<std::uint32_t> group_of;
  std::vector<std::uint64_t> first;
};
Partition group_rows(std::span<const BinnedColumn> columns, std::size_t rows, Lookout lookout = {});

// The codes of some rows, those of a row side by side.
std::vector<std::uint32_t> codes_of(std::span<const BinnedColumn> columns,
                                    std::span<const std::uint64_t> rows, Lookout lookout = {});

// Values of a column for which a condition holds: low < x <= high, or, where the ends are NaN,
// those that are missing. For a column of codes (of a category) x is the code. A condition may have
// several intervals, all of one column, and holds where any of them does.
struct Interval {
  std::size_t condition;
  std::size_t column;
  double low, high;
};

// A table grouped by what its conditions tell apart. The numbers of columns that have conditions
// are sorted into the coarsest bins that decide them, codes are taken as they are; `codes` has the
// bins of every group in these columns, `bits` its answers to all conditions, 64 to a word, the
// first in the lowest bit.
struct GroupedTable {
  Partition partition;
  std::vector<std::uint32_t> codes;
  std::vector<std::uint64_t> bits;
};
GroupedTable group_table(std::span<const TableColumn> columns, std::span<const Interval> intervals,
                         std::size_t conditions, std::size_t rows, Lookout lookout = {});

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
Statistics add_up(std::span<const std::uint32_t> group_of, std::size_t groups, const Parts& parts,
                  Lookout lookout = {});

}  // namespace optitree
