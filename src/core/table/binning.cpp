#include "table/binning.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "common/lanes.hpp"
#include "table/sorting.hpp"

namespace optitree {

namespace {

constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

// Up to so many thresholds are all compared, which the compiler turns into vector code; beyond, the
// bin is found by halving.
constexpr std::size_t kFewThresholds = 16;

class ValueFinder {
 public:
  std::uint32_t find(double value) {
    const std::size_t mask = index_.size() - 1;
    std::size_t slot = slot_of(value);
    for (; index_[slot] != kEmpty; slot = (slot + 1) & mask) {
      if (values_[index_[slot]] == value) return index_[slot];
    }
    const auto number = static_cast<std::uint32_t>(values_.size());
    index_[slot] = number;
    values_.push_back(value);
    if (values_.size() * 2 > index_.size()) grow();
    return number;
  }
  const std::vector<double>& values() const { return values_; }

 private:
  // The highest bits of the product: those of whole numbers, and of others with few digits, are
  // zero from some place down, and so are those of the product.
  std::size_t slot_of(double value) const {
    return (std::bit_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15U) >> (64 - bits_);
  }
  void grow() {
    std::vector<std::uint32_t>(std::size_t{1} << ++bits_, kEmpty).swap(index_);
    const std::size_t mask = index_.size() - 1;
    for (std::size_t number = 0; number < values_.size(); ++number) {
      std::size_t slot = slot_of(values_[number]);
      while (index_[slot] != kEmpty) slot = (slot + 1) & mask;
      index_[slot] = static_cast<std::uint32_t>(number);
    }
  }

  unsigned bits_ = 10;
  std::vector<double> values_;
  std::vector<std::uint32_t> index_ = std::vector<std::uint32_t>(std::size_t{1} << bits_, kEmpty);
};

// Rows that are looked at together: what is known of them stays within the processor's cache while
// one value or threshold after the other is compared with all, which the compiler turns into vector
// code.
constexpr std::size_t kBlock = 256;
constexpr std::size_t kFewValues = 16;

OPTITREE_MULTIVERSION
void count_thresholds_below(std::span<const double> values, std::span<const double> thresholds,
                            std::uint32_t* codes) {
  const auto missing = static_cast<std::uint32_t>(thresholds.size() + 1);
  for (std::size_t row = 0; row < values.size(); ++row) {
    codes[row] = values[row] == values[row] ? 0 : missing;
  }
  for (const double threshold : thresholds) {  // NaN is above none
    for (std::size_t row = 0; row < values.size(); ++row)
      codes[row] += values[row] > threshold ? 1 : 0;
  }
}

OPTITREE_MULTIVERSION
void count_bounds_reached(std::span<const std::uint8_t> values, std::span<const int> bounds,
                          std::uint32_t* codes) {
  for (std::size_t row = 0; row < values.size(); ++row) codes[row] = 0;
  for (const int bound : bounds) {
    for (std::size_t row = 0; row < values.size(); ++row) codes[row] += values[row] >= bound;
  }
}

OPTITREE_MULTIVERSION
std::pair<std::uint8_t, std::uint8_t> range_of(std::span<const std::uint8_t> values) {
  std::uint8_t low = 255, high = 0;
  for (const std::uint8_t value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return {low, high};
}

// Sets `has_missing` where a block has NaN, and returns its first row whose value is not known, or
// its size.
OPTITREE_MULTIVERSION
std::size_t first_unknown(std::span<const double> block, std::span<const double> known,
                          bool& has_missing) {
  std::array<std::uint64_t, kBlock> found;
  std::uint64_t missing = 0, all = 1;
  const auto value_of = [&](std::size_t k) {  // NaN equals nothing
    return k < known.size() ? known[k] : std::numeric_limits<double>::quiet_NaN();
  };
  const double a = value_of(0), b = value_of(1), c = value_of(2), d = value_of(3);
  for (std::size_t row = 0; row < block.size(); ++row) {
    const double value = block[row];
    const std::uint64_t absent = value == value ? 0 : 1;
    found[row] = absent | (value == a) | (value == b) | (value == c) | (value == d);
    missing |= absent;
    all &= found[row];
  }
  has_missing = has_missing || missing != 0;
  for (std::size_t k = 4; all == 0 && k < known.size(); ++k) {
    all = 1;
    for (std::size_t row = 0; row < block.size(); ++row) {
      found[row] |= block[row] == known[k] ? 1 : 0;
      all &= found[row];
    }
  }
  if (all == 1) return block.size();
  return std::find(found.begin(), found.begin() + block.size(), 0) - found.begin();
}

// Columns of 0 and 1 are frequent; whether a column is one is seen without looking values up.
OPTITREE_MULTIVERSION
bool has_only(std::span<const double> values, double low, double high, std::uint32_t* codes) {
  std::uint64_t others = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    codes[row] = values[row] == high ? 1 : 0;
    others += values[row] == low || values[row] == high ? 0 : 1;
  }
  return others == 0;
}

bool read_two_values(std::span<const double> values, DistinctValues& distinct) {
  const auto second = std::find_if(values.begin(), values.end(),
                                   [&](double value) { return value != values.front(); });
  if (second == values.end()) return false;
  const double low = std::min(values.front(), *second) + 0.0;  // -0 + 0 = 0
  const double high = std::max(values.front(), *second) + 0.0;
  if (!(low < high) || !has_only(values, low, high, distinct.codes.data())) return false;
  double ones = 0;
  for (const std::uint32_t code : distinct.codes) ones += code;
  distinct.values = {low, high};
  distinct.counts = {static_cast<double>(values.size()) - ones, ones, 0};
  return true;
}

// Finds values in a table, which is fast as long as they are few beside the rows. False, and at
// once, if they are not.
bool look_values_up(std::span<const double> values, DistinctValues& distinct, Lookout& lookout) {
  const std::size_t most = std::max<std::size_t>(256, values.size() / 8);
  ValueFinder finder;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const double value = values[row];
    distinct.codes[row] = std::isnan(value) ? kEmpty : finder.find(value + 0.0);  // -0 + 0 = 0
    if (finder.values().size() > most) return false;
    if (row % kBlock == 0) lookout.spend(8 * kBlock);
  }
  std::vector<SortedRow> order(finder.values().size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = {key_of(finder.values()[k]), k};
  sort_rows(order, lookout);
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) rank[order[k].row] = k;
  distinct.counts.assign(order.size() + 1, 0);
  lookout.in_pieces(values.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      std::uint32_t& code = distinct.codes[row];
      code = code == kEmpty ? static_cast<std::uint32_t>(order.size()) : rank[code];
      distinct.counts[code] += 1;
    }
  });
  for (const SortedRow& value : order) distinct.values.push_back(value_of(value.key));
  return true;
}

// Finds values by sorting the rows.
void sort_values(std::span<const double> values, DistinctValues& distinct, Lookout& lookout) {
  std::vector<SortedRow> rows;
  rows.reserve(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) distinct.codes[row] = kEmpty;
    else rows.push_back({key_of(values[row]), static_cast<std::uint32_t>(row)});
  }
  sort_rows(rows, lookout);
  lookout.in_pieces(rows.size(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      if (at == 0 || rows[at].key != rows[at - 1].key) {
        distinct.values.push_back(value_of(rows[at].key));
        distinct.counts.push_back(0);
      }
      distinct.codes[rows[at].row] = static_cast<std::uint32_t>(distinct.values.size() - 1);
      distinct.counts.back() += 1;
    }
  });
  distinct.counts.push_back(static_cast<double>(values.size() - rows.size()));
  const auto missing = static_cast<std::uint32_t>(distinct.values.size());
  std::ranges::replace(distinct.codes, kEmpty, missing);
}

bool convert(std::span<const double> values, double* converted) {
  std::ranges::copy(values, converted);
  return true;
}

// Beside 2^52 only whole numbers can be told apart, and they are the last bits of the sum.
OPTITREE_MULTIVERSION
bool convert(std::span<const double> values, std::uint8_t* converted) {
  constexpr double kLarge = 0x1p52;
  std::uint64_t others = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const double sum = values[row] + kLarge;
    const std::uint64_t whole =
        std::bit_cast<std::uint64_t>(sum) - std::bit_cast<std::uint64_t>(kLarge);
    others |= (whole & ~std::uint64_t{255}) | (sum - kLarge == values[row] ? 0 : 1);
    converted[row] = static_cast<std::uint8_t>(whole);
  }
  return others == 0;
}

// Rows that stay within the processor's cache until all their columns are copied.
constexpr std::size_t kCopied = 64;

// Copies neighbouring values of a column, at most kCopied of them.
template <typename From, typename To>
bool copy_values(const From* from, std::ptrdiff_t step, std::span<To> to) {
  if constexpr (std::is_same_v<From, To>) {
    for (std::size_t row = 0; row < to.size(); ++row, from += step) to[row] = *from;
    return true;
  } else {
    std::array<double, kCopied> block;
    for (std::size_t row = 0; row < to.size(); ++row, from += step) {
      block[row] = static_cast<double>(*from);
    }
    return convert({block.data(), to.size()}, to.data());
  }
}

template <typename To>
bool copy(const AnyMatrix& matrix, To* columns, Lookout& lookout) {
  const auto copy_typed = [&](const auto* data) {
    for (std::size_t begin = 0; begin < matrix.rows; begin += kCopied) {
      const std::size_t size = std::min(kCopied, matrix.rows - begin);
      for (std::size_t k = 0; k < matrix.columns; ++k) {
        const auto* from = data + static_cast<std::ptrdiff_t>(begin) * matrix.row_step +
                           static_cast<std::ptrdiff_t>(k) * matrix.column_step;
        To* const to = columns + k * matrix.rows + begin;
        if (!copy_values(from, matrix.row_step, std::span<To>(to, size))) return false;
      }
      lookout.spend(4 * size * matrix.columns);
    }
    return true;
  };
  return std::visit(copy_typed, matrix.data);
}

}  // namespace

bool copy_columns(const AnyMatrix& matrix, double* columns, Lookout lookout) {
  return copy(matrix, columns, lookout);
}
bool copy_columns(const AnyMatrix& matrix, std::uint8_t* columns, Lookout lookout) {
  return copy(matrix, columns, lookout);
}

OPTITREE_MULTIVERSION
bool has_infinity(std::span<const double> values) {
  std::uint64_t found = 0;
  for (const double value : values) {
    found |= std::abs(value) == std::numeric_limits<double>::infinity() ? 1 : 0;
  }
  return found != 0;
}

DistinctValues distinct_values(std::span<const double> values, Lookout lookout) {
  DistinctValues distinct;
  distinct.codes.resize(values.size());
  if (read_two_values(values, distinct)) return distinct;
  if (!look_values_up(values, distinct, lookout)) sort_values(values, distinct, lookout);
  return distinct;
}

std::optional<FewValues> few_values(std::span<const double> values) {
  FewValues few{{}, false};
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    const auto block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    for (;;) {
      const std::size_t row = first_unknown(block, few.values, few.has_missing);
      if (row == block.size()) break;
      if (few.values.size() == kFewValues) return std::nullopt;
      few.values.push_back(block[row] + 0.0);  // -0 + 0 = 0
    }
  }
  std::ranges::sort(few.values);
  return few;
}

std::optional<FewValues> few_values(std::span<const std::uint8_t> values) {
  FewValues few{{}, false};
  const auto [low, high] = range_of(values);
  std::array<bool, 256> found{};
  if (low < high) found[low] = found[high] = true;
  if (low + 1 < high || low == high) {
    for (const std::uint8_t value : values) found[value] = true;
  }
  for (std::size_t value = 0; value < found.size(); ++value) {
    if (found[value]) few.values.push_back(static_cast<double>(value));
  }
  if (few.values.size() > kFewValues) return std::nullopt;
  return few;
}

std::vector<std::uint32_t> bin_codes(std::span<const double> values,
                                     std::span<const double> thresholds) {
  std::vector<std::uint32_t> codes(values.size());
  bin_codes(values, thresholds, codes.data());
  return codes;
}

void bin_codes(std::span<const double> values, std::span<const double> thresholds,
               std::uint32_t* codes) {
  if (thresholds.size() <= kFewThresholds) {
    for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
      const std::size_t size = std::min(kBlock, values.size() - begin);
      count_thresholds_below(values.subspan(begin, size), thresholds, codes + begin);
    }
    return;
  }
  const auto missing = static_cast<std::uint32_t>(thresholds.size() + 1);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto above = std::lower_bound(thresholds.begin(), thresholds.end(), values[row]);
    codes[row] =
        std::isnan(values[row]) ? missing : static_cast<std::uint32_t>(above - thresholds.begin());
  }
}

void bin_codes(std::span<const std::uint8_t> values, std::span<const double> thresholds,
               std::uint32_t* codes) {
  std::vector<int> bounds;  // the least whole numbers above the thresholds
  for (const double threshold : thresholds) {
    bounds.push_back(static_cast<int>(std::floor(std::clamp(threshold, -1.0, 255.0))) + 1);
  }
  if (thresholds.size() <= kFewThresholds) {
    count_bounds_reached(values, bounds, codes);
    return;
  }
  std::array<std::uint32_t, 256> code_of{};
  for (int value = 0; value < 256; ++value) {
    code_of[value] = static_cast<std::uint32_t>(
        std::upper_bound(bounds.begin(), bounds.end(), value) - bounds.begin());
  }
  for (std::size_t row = 0; row < values.size(); ++row) codes[row] = code_of[values[row]];
}

BinRanges bin_ranges(std::span<const double> values, std::span<const double> thresholds,
                     Lookout lookout) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t bins = thresholds.size() + 2;  // the last one takes what is missing
  BinRanges ranges{std::vector<double>(bins, kInfinity), std::vector<double>(bins, -kInfinity)};
  lookout.in_pieces(values.size(), 8, [&](std::size_t begin, std::size_t end) {
    const auto piece = values.subspan(begin, end - begin);
    const std::vector<std::uint32_t> codes = bin_codes(piece, thresholds);
    for (std::size_t at = 0; at < piece.size(); ++at) {
      double& low = ranges.low[codes[at]];
      double& high = ranges.high[codes[at]];
      low = std::min(low, piece[at]);
      high = std::max(high, piece[at]);
    }
  });
  ranges.low.pop_back();
  ranges.high.pop_back();
  return ranges;
}

}  // namespace optitree
