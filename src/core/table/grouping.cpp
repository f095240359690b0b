#include "table/grouping.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "common/lanes.hpp"
#include "table/binning.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace optitree {

namespace {

__extension__ using Wide = __int128;

constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
constexpr unsigned kKeyBits = 64;
// Keys of so few bits are looked up in a plain table, which stays within the processor's cache.
constexpr unsigned kPlainBits = 20;
constexpr std::size_t kBlock = 512;  // rows that are looked at together, for the same reason

// Numbers 64-bit keys by first appearance.
class Numbering {
 public:
  // A plain table must pay: to clear it takes time too.
  Numbering(unsigned bits, std::size_t rows)
      : plain_(bits <= kPlainBits && (std::size_t{1} << bits) <= 4 * rows + 1024),
        index_(plain_ ? std::size_t{1} << bits : 1024, kEmpty) {}

  std::uint32_t number(std::uint64_t key, std::uint64_t row) {
    const std::size_t slot = plain_ ? key : find(key);
    if (index_[slot] != kEmpty) return index_[slot];
    const auto number = static_cast<std::uint32_t>(first_.size());
    index_[slot] = number;
    first_.push_back(row);
    if (!plain_) {
      keys_.push_back(key);
      if (keys_.size() * 2 > index_.size()) grow();
    }
    return number;
  }
  std::vector<std::uint64_t>& first() { return first_; }

 private:
  std::size_t slot_of(std::uint64_t key) const {
    std::uint64_t hash = key * 0x9e3779b97f4a7c15U;
    hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9U;
    return (hash ^ (hash >> 32)) & (index_.size() - 1);
  }
  std::size_t find(std::uint64_t key) const {
    std::size_t slot = slot_of(key);
    while (index_[slot] != kEmpty && keys_[index_[slot]] != key) {
      slot = (slot + 1) & (index_.size() - 1);
    }
    return slot;
  }
  void grow() {
    std::vector<std::uint32_t>(index_.size() * 2, kEmpty).swap(index_);
    for (std::size_t number = 0; number < keys_.size(); ++number) {
      index_[find(keys_[number])] = static_cast<std::uint32_t>(number);
    }
  }

  bool plain_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint64_t> keys_, first_;
};

unsigned width(const BinnedColumn& column) {
  return static_cast<unsigned>(std::bit_width(column.size - 1));
}

OPTITREE_MULTIVERSION
void append(std::span<std::uint64_t> keys, const std::uint32_t* codes, unsigned bits) {
  for (std::size_t row = 0; row < keys.size(); ++row) keys[row] = keys[row] << bits | codes[row];
}

// The codes of some neighbouring rows, in `made` if they have to be made.
const std::uint32_t* codes_from(const BinnedColumn& column, std::size_t begin, std::size_t size,
                                std::uint32_t* made) {
  if (const auto* codes = std::get_if<std::span<const std::uint32_t>>(&column.column)) {
    return codes->data() + begin;
  }
  if (const auto* bytes = std::get_if<std::span<const std::uint8_t>>(&column.column)) {
    bin_codes(bytes->subspan(begin, size), column.thresholds, made);
  } else {
    bin_codes(std::get<std::span<const double>>(column.column).subspan(begin, size),
              column.thresholds, made);
  }
  return made;
}

// Appends the codes of some columns to the keys of the rows, for a few rows at a time.
void string_together(std::span<const BinnedColumn> columns, std::span<std::uint64_t> keys,
                     Lookout& lookout) {
  std::array<std::uint32_t, kBlock> made;
  for (std::size_t begin = 0; begin < keys.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, keys.size() - begin);
    for (const BinnedColumn& column : columns) {
      append(keys.subspan(begin, size), codes_from(column, begin, size, made.data()),
             width(column));
    }
    lookout.spend(4 * size * columns.size());
  }
}

// The values or codes of some rows.
template <typename Rows>
void gather(const TableColumn& column, const Rows& rows, std::span<double> values) {
  std::visit(
      [&](const auto all) {
        for (std::size_t at = 0; at < values.size(); ++at) {
          values[at] = static_cast<double>(all[rows[at]]);
        }
      },
      column);
}

// Whether one of its intervals lets a condition hold: the one place that says what conditions mean.
bool holds(const Interval& interval, double x) {
  return std::isnan(interval.high) ? std::isnan(x) : (interval.low < x) & (x <= interval.high);
}

// The answers of some values to one of the intervals of a condition, each in its own word.
OPTITREE_MULTIVERSION
void mark(std::span<const double> values, const Interval& interval, std::uint64_t* words) {
  const unsigned bit = interval.condition % 64;
  for (std::size_t at = 0; at < values.size(); ++at) {
    words[at] |= std::uint64_t{holds(interval, values[at])} << bit;
  }
}

// The answers of some rows to all conditions, for a few rows at a time, whose words stay close.
// Neighbouring intervals are mostly about one column, and their answers in one word.
std::vector<std::uint64_t> answers(std::span<const TableColumn> columns,
                                   std::span<const Interval> intervals, std::size_t conditions,
                                   std::span<const std::uint64_t> rows, Lookout& lookout) {
  const std::size_t words = (conditions + 63) / 64;
  std::vector<std::uint64_t> bits(rows.size() * words, 0);
  std::array<double, kBlock> values;
  std::array<std::uint64_t, kBlock> answer{};
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlock) {
    const auto block = rows.subspan(begin, std::min(kBlock, rows.size() - begin));
    const std::span<double> known(values.data(), block.size());
    for (std::size_t k = 0; k < intervals.size(); ++k) {
      const Interval& interval = intervals[k];
      const std::size_t word = interval.condition / 64;
      if (k == 0 || intervals[k - 1].column != interval.column) {
        gather(columns[interval.column], block, known);
      }
      mark(known, interval, answer.data());
      if (k + 1 < intervals.size() && intervals[k + 1].condition / 64 == word) continue;
      for (std::size_t at = 0; at < block.size(); ++at) {
        bits[(begin + at) * words + word] |= std::exchange(answer[at], 0);
      }
    }
    lookout.spend(2 * block.size() * intervals.size());
  }
  return bits;
}

// A term of absolute value at most 1, as a multiple of 2^-62. Scaling by a power of two is exact.
constexpr double kGrid = 0x1p62;
std::int64_t fixed(double term) {
#if defined(__x86_64__)
  return _mm_cvtsd_si64(_mm_set_sd(term * kGrid));  // llrint, without the call
#else
  return std::llrint(term * kGrid);
#endif
}
double real(Wide sum) { return static_cast<double>(sum) / kGrid; }

// A power of two that no value exceeds, and whose inverse is one too: multiplying by it is exact.
double scale_of(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  int exponent = 0;
  const double mantissa = std::frexp(most, &exponent);  // in [0.5, 1)
  return most > 0 ? std::ldexp(1.0, std::max(mantissa == 0.5 ? exponent - 1 : exponent, -1000)) : 1;
}

}  // namespace

// Codes are strung together into one number as long as it fits into 64 bits. Where it no longer
// does, the rows grouped so far are numbered, and the number of the group takes the place of its
// codes.
Partition group_rows(std::span<const BinnedColumn> columns, std::size_t rows, Lookout lookout) {
  std::vector<std::uint64_t> keys(rows, 0);
  Partition partition;
  partition.group_of.resize(rows);
  unsigned bits = 0;
  std::size_t done = 0;
  const auto number_keys = [&](std::size_t end) {
    string_together(columns.subspan(done, end - done), keys, lookout);
    Numbering numbering(bits, rows);
    lookout.in_pieces(rows, 32, [&](std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row) {
        partition.group_of[row] = numbering.number(keys[row], row);
      }
    });
    partition.first = std::move(numbering.first());
    done = end;
  };
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (bits + width(columns[k]) > kKeyBits) {
      number_keys(k);
      std::copy(partition.group_of.begin(), partition.group_of.end(), keys.begin());
      bits = static_cast<unsigned>(std::bit_width(partition.first.size()));
    }
    bits += width(columns[k]);
  }
  number_keys(columns.size());
  return partition;
}

// For a few rows and columns at a time, so that what is made column by column is close where it is
// put row by row.
std::vector<std::uint32_t> codes_of(std::span<const BinnedColumn> columns,
                                    std::span<const std::uint64_t> rows, Lookout lookout) {
  constexpr std::size_t kColumns = 16;
  std::vector<std::uint32_t> codes(rows.size() * columns.size());
  std::array<double, kBlock> values;
  std::array<std::array<std::uint32_t, kBlock>, kColumns> made;
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlock) {
    const auto block = rows.subspan(begin, std::min(kBlock, rows.size() - begin));
    const std::span<double> known(values.data(), block.size());
    for (std::size_t first = 0; first < columns.size(); first += kColumns) {
      const auto some = columns.subspan(first, std::min(kColumns, columns.size() - first));
      for (std::size_t k = 0; k < some.size(); ++k) {
        gather(some[k].column, block, known);
        if (std::holds_alternative<std::span<const std::uint32_t>>(some[k].column)) {
          std::ranges::copy(known, made[k].begin());
        } else {
          bin_codes(known, some[k].thresholds, made[k].data());
        }
      }
      for (std::size_t at = 0; at < block.size(); ++at) {
        std::uint32_t* const to = codes.data() + (begin + at) * columns.size() + first;
        for (std::size_t k = 0; k < some.size(); ++k) to[k] = made[k][at];
      }
    }
    lookout.spend(4 * block.size() * columns.size());
  }
  return codes;
}

GroupedTable group_table(std::span<const TableColumn> columns, std::span<const Interval> intervals,
                         std::size_t conditions, std::size_t rows, Lookout lookout) {
  std::vector<std::vector<double>> thresholds(columns.size());
  std::vector<bool> used(columns.size(), false);
  for (const Interval& interval : intervals) {
    used[interval.column] = true;
    for (const double end : {interval.low, interval.high}) {
      if (std::isfinite(end)) thresholds[interval.column].push_back(end);
    }
  }
  std::vector<BinnedColumn> coded;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!used[k]) continue;
    std::ranges::sort(thresholds[k]);
    thresholds[k].erase(std::unique(thresholds[k].begin(), thresholds[k].end()),
                        thresholds[k].end());
    std::uint64_t size = thresholds[k].size() + 2;  // with the missing values
    if (const auto* codes = std::get_if<std::span<const std::uint32_t>>(&columns[k])) {
      size = rows == 0 ? 1 : std::uint64_t{std::ranges::max(*codes)} + 1;
    }
    coded.push_back({columns[k], size, thresholds[k]});
  }
  GroupedTable table{group_rows(coded, rows, lookout), {}, {}};
  table.codes = codes_of(coded, table.partition.first, lookout);
  table.bits = answers(columns, intervals, conditions, table.partition.first, lookout);
  return table;
}

Statistics add_up(std::span<const std::uint32_t> group_of, std::size_t groups, const Parts& parts,
                  Lookout lookout) {
  const std::size_t count = group_of.size();
  const double y_scale = scale_of(parts.mean);
  const double w_scale = scale_of(parts.weight);
  const double s_scale = scale_of(parts.scatter);
  const double y_unit = 1 / y_scale, w_unit = 1 / w_scale, s_unit = 1 / s_scale;  // exact
  const auto weight = [&](std::size_t part) {
    return parts.weight.empty() ? 1 : parts.weight[part] * w_unit;
  };

  std::vector<Wide> weights(groups, 0), sums(groups, 0);
  Statistics result;
  result.rows.assign(groups, 0);
  lookout.in_pieces(count, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      const std::uint32_t group = group_of[part];
      result.rows[group] += parts.rows.empty() ? 1 : parts.rows[part];
      // A positive weight never vanishes, however small beside the others.
      weights[group] += std::max<std::int64_t>(fixed(weight(part)), 1);
      sums[group] += fixed(weight(part) * (parts.mean[part] * y_unit));
    }
  });
  std::vector<double> means(groups);  // in units of y_scale
  result.weight.resize(groups);
  result.mean.resize(groups);
  for (std::size_t group = 0; group < groups; ++group) {
    means[group] = static_cast<double>(sums[group]) / static_cast<double>(weights[group]);
    result.weight[group] = real(weights[group]) * w_scale;
    result.mean[group] = means[group] * y_scale;
  }

  std::vector<Wide> between(groups, 0), within(groups, 0);
  lookout.in_pieces(count, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      const std::uint32_t group = group_of[part];
      const double half = (parts.mean[part] * y_unit - means[group]) / 2;
      between[group] += fixed(weight(part) * half * half);
      if (!parts.scatter.empty()) within[group] += fixed(parts.scatter[part] * s_unit);
    }
  });
  result.scatter.resize(groups);
  for (std::size_t group = 0; group < groups; ++group) {
    result.scatter[group] =
        real(between[group]) * 4 * y_scale * y_scale * w_scale + real(within[group]) * s_scale;
  }
  return result;
}

}  // namespace optitree
