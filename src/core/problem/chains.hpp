// Chains: consecutive features whose supports are nested, as those of the thresholds of one column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace optitree {

// Features, or positions on an axis, from `begin` to `end`. Rising: the support of each is part of
// that of the next; else of the one before.
struct Chain {
  std::uint32_t begin, end;
  bool rising;

  std::uint32_t length() const { return end - begin; }
};

// A group that has a feature of a chain has all that follow towards the larger supports. So one of
// them, the *head*, tells which: that with the smallest support. A table has many features, but a
// group has no more heads than the table has columns.
class Chains {
 public:
  Chains() = default;
  // Of the features of groups, `words` words of bits each.
  Chains(std::span<const std::uint64_t> bits, std::size_t words, std::size_t features);

  // Whether there is a chain of more than one feature.
  bool any() const { return longest_ > 1; }
  // All features in order; many chains have a single one.
  const std::vector<Chain>& all() const { return chains_; }
  const Chain& of(std::uint32_t feature) const { return chains_[chain_of_[feature]]; }
  // Where the bits of all groups have their heads only; empty if any() is false.
  const std::vector<std::uint64_t>& heads() const { return heads_; }
  // Pairs of ones of a group, and pairs of its heads, a feature and itself included: on average.
  double pairs_of_ones() const { return pairs_of_ones_; }
  double pairs_of_heads() const { return pairs_of_heads_; }

 private:
  void find(std::span<const std::uint64_t> bits, std::size_t words, std::size_t features);
  void keep_heads(std::span<const std::uint64_t> bits, std::size_t words);

  std::vector<Chain> chains_;
  std::vector<std::uint32_t> chain_of_;
  std::vector<std::uint64_t> heads_;
  std::uint32_t longest_ = 0;
  double pairs_of_ones_ = 0;
  double pairs_of_heads_ = 0;
};

}  // namespace optitree
