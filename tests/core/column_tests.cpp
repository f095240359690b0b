// Single columns: out of a matrix, distinct values, bins.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "check.hpp"
#include "table/binning.hpp"
#include "table/sorting.hpp"
#include "values.hpp"

using namespace optitree;

namespace {

// The columns of a matrix by rows, as copied and as they are.
template <typename From, typename To>
bool copies(const std::vector<From>& values, std::size_t columns, bool by_rows) {
  const std::size_t rows = values.size() / columns;
  const auto step = [&](bool long_one) {
    return static_cast<std::ptrdiff_t>(long_one ? (by_rows ? columns : rows) : 1);
  };
  std::vector<To> copied(values.size());
  if (!copy_columns({values.data(), rows, columns, step(by_rows), step(!by_rows)}, copied.data())) {
    return false;
  }
  for (std::size_t at = 0; at < values.size(); ++at) {
    const From value = by_rows ? values[at % rows * columns + at / rows] : values[at];
    if (copied[at] != value && !(value != value && copied[at] != copied[at])) return false;
  }
  return true;
}

void test_columns_of_a_matrix() {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::size_t columns = 1 + random() % 5, size = columns * (1 + random() % 300);
    std::vector<std::int64_t> whole(size);
    for (std::int64_t& value : whole) value = random() % 256;
    std::vector<double> real(whole.begin(), whole.end());
    const bool by_rows = seed % 2 == 0;
    check(copies<std::int64_t, std::uint8_t>(whole, columns, by_rows), "bytes of integers", seed);
    check(copies<double, std::uint8_t>(real, columns, by_rows), "bytes of numbers", seed);
    check(copies<double, double>(real, columns, by_rows), "numbers of numbers", seed);
    const double strange[] = {-1, 256, 0.5, 254.5, 1e300, -1e300, 0x1p52, kNan, kInfinity};
    const std::size_t at = random() % size;
    real[at] = strange[random() % 9];
    check(!copies<double, std::uint8_t>(real, columns, by_rows), "what is no byte", seed);
    check(copies<double, double>(real, columns, by_rows), "is a number still", seed);
    whole[at] = random() % 2 == 0 ? -1 : std::int64_t{1} << 40;
    check(!copies<std::int64_t, std::uint8_t>(whole, columns, by_rows), "beyond a byte", seed);
  }
  check(copies<float, std::uint8_t>({-0.0F, 255.0F}, 1, true), "-0 is 0, and 255 the last byte", 0);
}

void test_distinct_values() {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const std::vector<double> values = random_values(random, 1 + 50 * seed, 3 + 40 * (seed % 20));
    const DistinctValues distinct = distinct_values(values);
    std::set<double> expected;  // takes -0 and 0 as one
    for (const double value : values) {
      if (!std::isnan(value)) expected.insert(value);
    }
    check(std::ranges::equal(distinct.values, expected), "distinct values are found", seed);
    std::vector<double> counts(distinct.values.size() + 1, 0);
    for (const std::uint32_t code : distinct.codes) counts[code] += 1;
    check(distinct.counts == counts, "and counted", seed);
    bool right = distinct.codes.size() == values.size();
    for (std::size_t row = 0; right && row < values.size(); ++row) {
      right = std::isnan(values[row]) ? distinct.codes[row] == distinct.values.size()
                                      : distinct.values[distinct.codes[row]] == values[row];
    }
    check(right, "codes lead back to the values", seed);
  }
  const std::vector<double> zeros{-0.0, 0.0, -0.0};
  const DistinctValues zero = distinct_values(zeros);
  check(zero.values.size() == 1 && !std::signbit(zero.values[0]), "-0 is 0", 0);
  const DistinctValues missing = distinct_values(std::vector<double>{kNan, kNan});
  check(missing.values.empty() && missing.codes == std::vector<std::uint32_t>{0, 0}, "only NaN", 0);
  check(distinct_values({}).codes.empty(), "no rows have no values", 0);
}

void test_order_in_groups() {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<double> values = random_values(random, 1 + 40 * seed, 3 + 40 * (seed % 20));
    std::ranges::replace_if(values, [](double value) { return std::isnan(value); }, -1e300);
    std::vector<std::uint32_t> groups, expected;
    for (std::uint32_t row = 0; row < values.size(); ++row) {
      groups.push_back(static_cast<std::uint32_t>(random() % (1 + seed)));
      expected.push_back(row);
    }
    std::ranges::stable_sort(expected, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(groups[a], values[a]) < std::pair(groups[b], values[b]);
    });
    check(order_in_groups(groups, 1 + seed, values) == expected, "rows are in order", seed);
  }
}

void test_few_values() {
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    const std::vector<double> values = random_values(random, 1 + 7 * seed, 1 + seed % 12);
    std::set<double> expected;
    for (const double value : values) {
      if (!std::isnan(value)) expected.insert(value);
    }
    const bool has_missing =
        std::ranges::any_of(values, [](double value) { return std::isnan(value); });
    const std::optional<FewValues> few = few_values(values);
    check(few.has_value() == (expected.size() <= 16), "few are at most sixteen", seed);
    if (!few) continue;
    check(std::ranges::equal(few->values, expected), "few values are the distinct ones", seed);
    check(few->has_missing == has_missing, "few values know of missing ones", seed);
  }
  std::vector<double> late(3000, 1.0);  // what is new may come late
  late[2990] = kNan;
  late[2995] = -0.0;
  const std::optional<FewValues> few = few_values(late);
  check(few && few->values == std::vector<double>{0, 1} && few->has_missing, "the last rows count",
        0);
  check(few && !std::signbit(few->values[0]), "-0 is 0", 0);
  check(few_values(std::span<const double>{})->values.empty(), "no rows have no values", 0);
  check(few_values(std::span<const std::uint8_t>{})->values.empty(), "nor have no bytes", 0);
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(1 + random() % 400);
    const unsigned low = random() % 200, most = 1 + seed % 20;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(low + random() % most);
    const auto as_numbers = few_values(std::vector<double>(bytes.begin(), bytes.end()));
    const auto as_bytes = few_values(bytes);
    check(as_bytes.has_value() == as_numbers.has_value(), "as few bytes as numbers", seed);
    check(!as_bytes || as_bytes->values == as_numbers->values, "bytes are numbers", seed);
    std::vector<double> thresholds = distinct_values(random_values(random, seed, 40)).values;
    for (double& threshold : thresholds)
      threshold = threshold * 20 + 100;  // some below 0, some beyond 255
    std::vector<std::uint32_t> codes(bytes.size());
    bin_codes(bytes, thresholds, codes.data());
    check(codes == bin_codes(std::vector<double>(bytes.begin(), bytes.end()), thresholds),
          "bins of bytes", seed);
  }
}

void test_infinity() {
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<double> values(size, 1e308);
    check(!has_infinity(values), "large and missing are not infinite", size);
    for (std::size_t at = 0; at < size; ++at) {
      values[at] = at % 2 == 0 ? kInfinity : -kInfinity;
      check(has_infinity(values), "infinity is found wherever it is", size);
      values[at] = kNan;
    }
  }
}

void test_bins() {
  for (unsigned seed = 0; seed < 100;
       ++seed) {  // 16 thresholds and more are looked up in another way
    std::mt19937 random(seed);
    const std::vector<double> values = random_values(random, 1 + 5 * seed, 100);
    std::vector<double> thresholds = distinct_values(random_values(random, seed % 41, 90)).values;
    const std::vector<std::uint32_t> codes = bin_codes(values, thresholds);
    const BinRanges ranges = bin_ranges(values, thresholds);
    std::vector<double> low(thresholds.size() + 1, kInfinity),
        high(thresholds.size() + 1, -kInfinity);
    bool right = codes.size() == values.size();
    for (std::size_t row = 0; right && row < values.size(); ++row) {
      if (std::isnan(values[row])) {
        right = codes[row] == thresholds.size() + 1;
        continue;
      }
      right = codes[row] <= thresholds.size();
      for (std::size_t k = 0; right && k < thresholds.size(); ++k) {
        right = (values[row] <= thresholds[k]) == (codes[row] <= k);
      }
      if (!right) break;
      low[codes[row]] = std::min(low[codes[row]], values[row]);
      high[codes[row]] = std::max(high[codes[row]], values[row]);
    }
    check(right, "x <= thresholds[k] is code <= k", seed);
    check(ranges.low == low && ranges.high == high, "ranges of bins", seed);
  }
  const std::vector<double> nothing;
  const std::vector<double> missing{kNan, kNan};
  check(bin_codes(missing, nothing) == std::vector<std::uint32_t>{1, 1}, "NaN without thresholds",
        0);
  check(bin_ranges(missing, nothing).low == std::vector<double>{kInfinity}, "no range", 0);
}

}  // namespace

void test_columns() {
  test_columns_of_a_matrix();
  test_distinct_values();
  test_order_in_groups();
  test_few_values();
  test_infinity();
  test_bins();
}
