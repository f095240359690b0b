#include "grouping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace optitree {

namespace {

__extension__ using Wide = __int128;

constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
// Keys below so many are looked up in a plain table, which then stays within the processor's cache.
constexpr std::uint64_t kPlainTable = 1 << 20;

// Numbers 64-bit keys by first appearance.
class Numbering {
 public:
  explicit Numbering(std::uint64_t key_count)
      : plain_(key_count <= kPlainTable), index_(plain_ ? key_count : 1024, kEmpty) {}

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

// A term of absolute value at most 1, as a multiple of 2^-62. Scaling by a power of two is exact.
constexpr double kGrid = 0x1p62;
std::int64_t fixed(double term) { return std::llrint(term * kGrid); }
double real(Wide sum) { return static_cast<double>(sum) / kGrid; }

// A power of two that no value exceeds: dividing by it is exact.
double scale_of(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  int exponent = 0;
  const double mantissa = std::frexp(most, &exponent);  // in [0.5, 1)
  return most > 0 ? std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent) : 1;
}

}  // namespace

// Codes are strung together into one number as long as it fits into 64 bits. Where it no longer
// does, the rows grouped so far are numbered, and the number of the group takes the place of its
// codes.
Partition group_rows(std::span<const CodeColumn> columns, std::size_t rows) {
  std::vector<std::uint64_t> keys(rows, 0);
  std::uint64_t key_count = 1;
  Partition partition;
  partition.group_of.resize(rows);
  const auto number_keys = [&] {
    Numbering numbering(key_count);
    for (std::size_t row = 0; row < rows; ++row) {
      partition.group_of[row] = numbering.number(keys[row], row);
    }
    partition.first = std::move(numbering.first());
  };
  for (const CodeColumn& column : columns) {
    if (column.size > std::numeric_limits<std::uint64_t>::max() / key_count) {
      number_keys();
      std::copy(partition.group_of.begin(), partition.group_of.end(), keys.begin());
      key_count = partition.first.size();
    }
    for (std::size_t row = 0; row < rows; ++row) {
      keys[row] = keys[row] * column.size + column.codes[row];
    }
    key_count *= column.size;
  }
  number_keys();
  return partition;
}

Statistics add_up(std::span<const std::uint32_t> group_of, std::size_t groups, const Parts& parts) {
  const std::size_t count = group_of.size();
  const double y_scale = scale_of(parts.mean);
  const double w_scale = parts.weight.empty() ? 1 : scale_of(parts.weight);
  const double s_scale = scale_of(parts.scatter);
  const auto weight = [&](std::size_t part) {
    return parts.weight.empty() ? 1 : parts.weight[part] / w_scale;
  };

  std::vector<Wide> weights(groups, 0), sums(groups, 0);
  Statistics result;
  result.rows.assign(groups, 0);
  for (std::size_t part = 0; part < count; ++part) {
    const std::uint32_t group = group_of[part];
    result.rows[group] += parts.rows.empty() ? 1 : parts.rows[part];
    // A positive weight never vanishes, however small beside the others.
    weights[group] += std::max<std::int64_t>(fixed(weight(part)), 1);
    sums[group] += fixed(weight(part) * (parts.mean[part] / y_scale));
  }
  std::vector<double> means(groups);  // in units of y_scale
  for (std::size_t group = 0; group < groups; ++group) {
    means[group] = static_cast<double>(sums[group]) / static_cast<double>(weights[group]);
    result.weight.push_back(real(weights[group]) * w_scale);
    result.mean.push_back(means[group] * y_scale);
  }

  std::vector<Wide> between(groups, 0), within(groups, 0);
  for (std::size_t part = 0; part < count; ++part) {
    const std::uint32_t group = group_of[part];
    const double half = (parts.mean[part] / y_scale - means[group]) / 2;
    between[group] += fixed(weight(part) * half * half);
    if (!parts.scatter.empty()) within[group] += fixed(parts.scatter[part] / s_scale);
  }
  for (std::size_t group = 0; group < groups; ++group) {
    result.scatter.push_back(real(between[group]) * 4 * y_scale * y_scale * w_scale +
                             real(within[group]) * s_scale);
  }
  return result;
}

}  // namespace optitree
