#include "problem/chains.hpp"

#include <algorithm>
#include <bit>

namespace optitree {

namespace {

double pairs_of(const std::uint64_t* bits, std::size_t words) {
  double ones = 0;
  for (std::size_t k = 0; k < words; ++k) ones += std::popcount(bits[k]);
  return ones * (ones + 1) / 2;
}

}  // namespace

Chains::Chains(std::span<const std::uint64_t> bits, std::size_t words, std::size_t features) {
  if (features == 0) return;
  find(bits, words, features);
  const auto groups = static_cast<double>(bits.size() / words);
  for (std::size_t at = 0; at < bits.size(); at += words) {
    pairs_of_ones_ += pairs_of(bits.data() + at, words) / groups;
  }
  if (any()) keep_heads(bits, words);
}

void Chains::find(std::span<const std::uint64_t> bits, std::size_t words, std::size_t features) {
  // Bit f: whether the support of f is part of that of f + 1 (rising), or contains it (falling).
  std::vector<std::uint64_t> rising(words, ~std::uint64_t{0}), falling(words, ~std::uint64_t{0});
  for (std::size_t at = 0; at < bits.size(); at += words) {
    for (std::size_t k = 0; k < words; ++k) {
      const std::uint64_t here = bits[at + k];
      const std::uint64_t over = k + 1 < words ? bits[at + k + 1] << 63 : 0;
      const std::uint64_t next = here >> 1 | over;
      rising[k] &= ~here | next;
      falling[k] &= here | ~next;
    }
  }
  const auto nested = [&](std::size_t f, bool up) {
    return ((up ? rising : falling)[f / 64] >> (f % 64) & 1) != 0;
  };
  chain_of_.resize(features);
  for (std::uint32_t begin = 0; begin < features;) {
    const bool up = nested(begin, true);
    std::uint32_t end = begin + 1;
    while (end < features && nested(end - 1, up)) ++end;
    std::fill(chain_of_.begin() + begin, chain_of_.begin() + end,
              static_cast<std::uint32_t>(chains_.size()));
    chains_.push_back({begin, end, up});
    longest_ = std::max(longest_, end - begin);
    begin = end;
  }
}

// A one is a head unless the neighbour with the smaller support is 1 too.
void Chains::keep_heads(std::span<const std::uint64_t> bits, std::size_t words) {
  std::vector<std::uint64_t> looks_down(words, 0), looks_up(words, 0);
  for (const Chain& chain : chains_) {
    for (std::uint32_t f = chain.begin; f < chain.end; ++f) {
      const std::uint64_t bit = std::uint64_t{1} << (f % 64);
      if (chain.rising && f > chain.begin) looks_down[f / 64] |= bit;
      if (!chain.rising && f + 1 < chain.end) looks_up[f / 64] |= bit;
    }
  }
  heads_.resize(bits.size());
  const auto groups = static_cast<double>(bits.size() / words);
  for (std::size_t at = 0; at < bits.size(); at += words) {
    for (std::size_t k = 0; k < words; ++k) {
      const std::uint64_t here = bits[at + k];
      const std::uint64_t before = here << 1 | (k > 0 ? bits[at + k - 1] >> 63 : 0);
      const std::uint64_t after = here >> 1 | (k + 1 < words ? bits[at + k + 1] << 63 : 0);
      heads_[at + k] = here & ~((before & looks_down[k]) | (after & looks_up[k]));
    }
    pairs_of_heads_ += pairs_of(heads_.data() + at, words) / groups;
  }
}

}  // namespace optitree
