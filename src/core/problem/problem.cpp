#include "problem/problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "problem/exact_sums.hpp"

namespace optitree {

namespace {

std::uint64_t splitmix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

Problem::Problem(const GroupData& table, const Restrictions& restrictions,
                 MeasuredGroups&& measured)
    : restrictions_(restrictions),
      leaf_size_(table, restrictions.min_samples_leaf),
      measured_(std::move(measured)),
      features_(table.features),
      words_(table.words()),
      has_prices_(measured_.priced && !leaf_size_.counts_rows()) {
  encode_features(table);
}

// The rarer value of every feature becomes 1, so that groups have short lists of ones.
void Problem::encode_features(const GroupData& table) {
  std::vector<std::uint32_t> frequency(words_ * 64, 0);
  const auto for_each_bit = [](std::uint64_t bits, std::size_t word, auto visit) {
    for (; bits != 0; bits &= bits - 1) {
      visit(static_cast<std::uint32_t>(word * 64) +
            static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  };
  for (std::size_t at = 0; at < table.size() * words_; ++at) {
    for_each_bit(table.bits[at], at % words_, [&](std::uint32_t f) { ++frequency[f]; });
  }
  flipped_.resize(features_);
  std::vector<std::uint64_t> flip(words_, 0);
  for (std::size_t f = 0; f < features_; ++f) {
    flipped_[f] = 2 * std::size_t{frequency[f]} > table.size();
    flip[f / 64] |= std::uint64_t{flipped_[f]} << (f % 64);
  }
  bits_.resize(table.size() * words_);
  ones_begin_.resize(table.size() + 1);
  ones_.reserve(table.size() * features_ / 2 + 1);
  tags_.resize(table.size());
  for (std::size_t g = 0; g < table.size(); ++g) {
    const std::size_t before = ones_.size();
    for (std::size_t word = 0; word < words_; ++word) {
      const std::uint64_t bits = table.bits[measured_.original[g] * words_ + word] ^ flip[word];
      bits_[g * words_ + word] = bits;
      for_each_bit(bits, word, [&](std::uint32_t f) { ones_.push_back(f); });
    }
    most_ones_ = std::max(most_ones_, ones_.size() - before);
    ones_begin_[g + 1] = ones_.size();
    tags_[g] = splitmix(g);
  }
  chains_ = Chains(bits_, words_, features_);
}

std::array<std::vector<std::uint32_t>, 2> Problem::sides_of(Members members,
                                                            std::uint32_t feature) const {
  std::array<std::vector<std::uint32_t>, 2> sides;
  const auto is_one = holds(2 * feature + 1);
  for (const std::uint32_t g : members) sides[is_one(g)].push_back(g);
  return sides;
}

std::size_t Problem::bytes() const {
  const auto of = [](const auto& values) { return values.size() * sizeof(values[0]); };
  return of(bits_) + of(chains_.heads()) + of(ones_) + of(ones_begin_) + of(tags_) + of(flipped_) +
         of(measured_.original) + of(measured_.cells) + of(measured_.mean) + of(measured_.points) +
         of(measured_.slope);
}

// Rounded down: prices that are too low are prices all the same.
void Problem::set_prices(std::span<const double> prices) {
  ++times_priced_;
  const double grid = grid_for(1 + restrictions_.regularization);
  for (std::size_t g = 0; g < groups(); ++g) {
    measured_.cells[g].lanes[LeafSize::kLastLane] = std::floor(prices[g] / grid) * grid;
  }
}

}  // namespace optitree
