// Columns of numbers: out of a matrix, their distinct values, and the bin of every value between
// thresholds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "common/lookout.hpp"

namespace optitree {

// A matrix of any type and layout, with the distances between neighbouring rows and columns.
struct AnyMatrix {
  std::variant<const double*, const float*, const std::int8_t*, const std::uint8_t*,
               const std::int16_t*, const std::uint16_t*, const std::int32_t*, const std::uint32_t*,
               const std::int64_t*, const std::uint64_t*>
      data;
  std::size_t rows, columns;
  std::ptrdiff_t row_step, column_step;
};

// Copies the columns of a matrix one after the other. False, and at once, if they are to be bytes
// and a value is no whole number from 0 to 255.
bool copy_columns(const AnyMatrix& matrix, double* columns, Lookout lookout = {});
bool copy_columns(const AnyMatrix& matrix, std::uint8_t* columns, Lookout lookout = {});

bool has_infinity(std::span<const double> values);

// The distinct values in ascending order without NaN (-0 counts as 0), and for every row the number
// of its value; NaN has the number after the last. Counts are those of the numbers.
struct DistinctValues {
  std::vector<double> values;
  std::vector<std::uint32_t> codes;
  std::vector<double> counts;
};
DistinctValues distinct_values(std::span<const double> values, Lookout lookout = {});

// Every value of a column that has at most sixteen, ascending and without NaN (-0 counts as 0), and
// whether it has NaN; nothing if there are more, which is seen early. No codes are made: columns of
// answers, of counts and of grades need none for a threshold between every two neighbours.
struct FewValues {
  std::vector<double> values;
  bool has_missing;
};
std::optional<FewValues> few_values(std::span<const double> values);
std::optional<FewValues> few_values(std::span<const std::uint8_t> values);

// The bin of a value: how many of the ascending thresholds are below it, so that x <= thresholds[k]
// is the same as code <= k. NaN has code thresholds.size() + 1.
std::vector<std::uint32_t> bin_codes(std::span<const double> values,
                                     std::span<const double> thresholds);
void bin_codes(std::span<const double> values, std::span<const double> thresholds,
               std::uint32_t* codes);
void bin_codes(std::span<const std::uint8_t> values, std::span<const double> thresholds,
               std::uint32_t* codes);

// The least and the greatest value in each bin; +inf and -inf where a bin is empty.
struct BinRanges {
  std::vector<double> low, high;
};
BinRanges bin_ranges(std::span<const double> values, std::span<const double> thresholds,
                     Lookout lookout = {});

}  // namespace optitree
