#include "grouping.hpp"

#include <algorithm>
#include <cmath>

namespace optitree {

namespace {

__extension__ using Wide = __int128;

constexpr int kBits = 62;

// A term of absolute value at most 1, as a multiple of 2^-62.
std::int64_t fixed(double term) { return std::llrint(std::ldexp(term, kBits)); }
double real(Wide sum) { return std::ldexp(static_cast<double>(sum), -kBits); }

class Finder {
 public:
  Finder(const RowTable& table, Groups& groups) : table_(table), groups_(groups), index_(1024, 0) {}

  std::uint32_t group_of(std::size_t row) {
    const std::uint64_t* bits = table_.bits.data() + row * table_.words;
    std::uint64_t hash = 0x9e3779b97f4a7c15U;
    for (std::size_t k = 0; k < table_.words; ++k) {
      hash = (hash ^ bits[k]) * 0xbf58476d1ce4e5b9U;
      hash ^= hash >> 31;
    }
    const std::size_t slot = find(bits, hash);
    if (index_[slot] != 0) return index_[slot] - 1;
    hashes_.push_back(hash);
    groups_.bits.insert(groups_.bits.end(), bits, bits + table_.words);
    index_[slot] = static_cast<std::uint32_t>(hashes_.size());
    if (hashes_.size() * 2 > index_.size()) grow();
    return static_cast<std::uint32_t>(hashes_.size() - 1);
  }
  std::size_t size() const { return hashes_.size(); }

 private:
  std::size_t find(const std::uint64_t* bits, std::uint64_t hash) const {
    const std::size_t mask = index_.size() - 1;
    std::size_t slot = hash & mask;
    while (index_[slot] != 0) {
      const std::size_t group = index_[slot] - 1;
      const std::uint64_t* other = groups_.bits.data() + group * table_.words;
      if (hashes_[group] == hash && std::equal(bits, bits + table_.words, other)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  void grow() {
    std::vector<std::uint32_t>(index_.size() * 2, 0).swap(index_);
    const std::size_t mask = index_.size() - 1;
    for (std::size_t group = 0; group < hashes_.size(); ++group) {
      std::size_t slot = hashes_[group] & mask;
      while (index_[slot] != 0) slot = (slot + 1) & mask;
      index_[slot] = static_cast<std::uint32_t>(group + 1);
    }
  }

  const RowTable& table_;
  Groups& groups_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> index_;  // number of the group + 1
};

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most > 0 ? most : 1;
}

}  // namespace

Groups group_rows(const RowTable& table) {
  Groups groups;
  const std::size_t rows = table.target.size();
  const double y_scale = largest(table.target);
  const double w_scale = table.weight.empty() ? 1 : largest(table.weight);
  const auto weight = [&](std::size_t row) {
    return table.weight.empty() ? 1 : table.weight[row] / w_scale;
  };

  Finder finder(table, groups);
  std::vector<std::uint32_t> group_of(rows);
  std::vector<Wide> weights, sums;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t group = group_of[row] = finder.group_of(row);
    if (group == weights.size()) {
      weights.push_back(0);
      sums.push_back(0);
      groups.rows.push_back(0);
    }
    groups.rows[group] += 1;
    // A positive weight never vanishes, however small beside the others.
    weights[group] += std::max<std::int64_t>(fixed(weight(row)), 1);
    sums[group] += fixed(weight(row) * (table.target[row] / y_scale));
  }

  std::vector<double> means;  // in units of y_scale
  for (std::size_t group = 0; group < finder.size(); ++group) {
    means.push_back(static_cast<double>(sums[group]) / static_cast<double>(weights[group]));
    groups.weight.push_back(real(weights[group]) * w_scale);
    groups.mean.push_back(means[group] * y_scale);
  }
  std::vector<Wide> scatters(finder.size(), 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const double half = (table.target[row] / y_scale - means[group_of[row]]) / 2;
    scatters[group_of[row]] += fixed(weight(row) * half * half);
  }
  for (const Wide scatter : scatters) {
    groups.scatter.push_back(real(scatter) * 4 * y_scale * y_scale * w_scale);
  }
  return groups;
}

}  // namespace optitree
