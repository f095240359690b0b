#include "table/sorting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace optitree {

namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr unsigned kDigitBits = 8, kDigits = 64 / kDigitBits;
constexpr std::size_t kRadix = std::size_t{1} << kDigitBits;
using Counts = std::array<std::size_t, kRadix>;

std::size_t digit(std::uint64_t key, unsigned at) {
  return (key >> (at * kDigitBits)) & (kRadix - 1);
}

// Where the rows with each digit begin, from how many there are.
template <typename Numbers>
void add_before(Numbers& counts) {
  std::size_t before = 0;
  for (auto& count : counts) before += std::exchange(count, before);
}

}  // namespace

// Bits of positive numbers have the order of the numbers, those of negative ones the opposite.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 + 0 = 0
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double value_of(std::uint64_t key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

// One digit after the other, the last one first; digits that all keys share are left out. To count
// digits does not pay for few rows.
void sort_rows(std::vector<SortedRow>& rows, Lookout& lookout) {
  if (rows.size() < kRadix) {
    std::ranges::sort(rows, {}, [](const SortedRow& row) { return std::pair(row.key, row.row); });
    return;
  }
  std::array<Counts, kDigits> counts{};
  lookout.in_pieces(rows.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      for (unsigned k = 0; k < kDigits; ++k) ++counts[k][digit(rows[at].key, k)];
    }
  });
  std::vector<SortedRow> sorted(rows.size());
  for (unsigned k = 0; k < kDigits; ++k) {
    if (counts[k][digit(rows.front().key, k)] == rows.size()) continue;
    add_before(counts[k]);
    lookout.in_pieces(rows.size(), 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at) {
        sorted[counts[k][digit(rows[at].key, k)]++] = rows[at];
      }
    });
    rows.swap(sorted);
  }
}

std::vector<std::uint32_t> order_in_groups(std::span<const std::uint32_t> group_of,
                                           std::size_t groups, std::span<const double> values,
                                           Lookout lookout) {
  std::vector<SortedRow> rows(values.size());
  std::vector<std::size_t> next(groups, 0);
  lookout.in_pieces(rows.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      rows[row] = {key_of(values[row]), static_cast<std::uint32_t>(row)};
      ++next[group_of[row]];
    }
  });
  sort_rows(rows, lookout);
  add_before(next);
  std::vector<std::uint32_t> order(rows.size());
  lookout.in_pieces(rows.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      order[next[group_of[rows[at].row]]++] = rows[at].row;
    }
  });
  return order;
}

}  // namespace optitree
