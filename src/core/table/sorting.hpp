// Rows in the order of their values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/lookout.hpp"

namespace optitree {

// A row and its value, as a whole number that has the same order.
struct SortedRow {
  std::uint64_t key;
  std::uint32_t row;
};
std::uint64_t key_of(double value);  // no NaN; -0 counts as 0
double value_of(std::uint64_t key);

// Sorts by the keys. Of equal ones the first stays the first: rows are given in ascending order.
void sort_rows(std::vector<SortedRow>& rows, Lookout& lookout);

// The rows in the order of their groups, then of their values, then as they came.
std::vector<std::uint32_t> order_in_groups(std::span<const std::uint32_t> group_of,
                                           std::size_t groups, std::span<const double> values,
                                           Lookout lookout = {});

}  // namespace optitree
