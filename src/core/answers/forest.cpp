#include "answers/forest.hpp"

#include <algorithm>
#include <utility>

namespace optitree {

namespace {

constexpr std::size_t kFirstSlots = 1024;

std::uint64_t hash_of(const Subtree& subtree) {
  std::uint64_t x = std::uint64_t{subtree.support} << 32 | subtree.literal;
  x = (x + 1) * 0x9e3779b97f4a7c15U;
  x ^= (std::uint64_t{subtree.children[0]} << 32 | subtree.children[1]) + (x >> 29);
  x *= 0xd6e8feb86659fd93U;
  return x ^ (x >> 32);
}

}  // namespace

// Where it is, or would be. There are always free slots.
std::size_t Forest::slot_of(const Subtree& subtree) const {
  const std::size_t last = slots_.size() - 1;
  std::size_t at = hash_of(subtree) & last;
  while (slots_[at] != kNone && subtrees_[slots_[at]] != subtree) at = (at + 1) & last;
  return at;
}

// Twice as many slots.
bool Forest::grow() {
  const std::size_t before = slots_.size(), after = std::max(kFirstSlots, 2 * before);
  if (!loan_.take(after * sizeof(std::uint32_t))) return false;
  slots_.assign(after, kNone);
  loan_.give_back(before * sizeof(std::uint32_t));
  for (std::uint32_t number = 0; number < subtrees_.size(); ++number) {
    slots_[slot_of(subtrees_[number])] = number;
  }
  return true;
}

std::uint32_t Forest::number(const Subtree& subtree) {
  if (2 * subtrees_.size() >= slots_.size() && !grow()) return kNone;
  const std::size_t slot = slot_of(subtree);
  if (slots_[slot] != kNone) return slots_[slot];
  if (!loan_.make_room(subtrees_, 1)) return kNone;
  slots_[slot] = static_cast<std::uint32_t>(subtrees_.size());
  subtrees_.push_back(subtree);
  return slots_[slot];
}

Subtree Forest::join(Literal literal, std::uint32_t zero, std::uint32_t one,
                     std::uint32_t support) const {
  const Subtree &a = subtrees_[zero], &b = subtrees_[one];
  return {literal, support, {zero, one}, a.leaves + b.leaves, 1 + std::max(a.depth, b.depth)};
}

int Forest::compare(const Subtree& a, const Subtree& b) const {
  const auto order = [](std::uint32_t x, std::uint32_t y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (const int by_leaves = order(a.leaves, b.leaves)) return by_leaves;
  if (const int by_depth = order(a.depth, b.depth)) return by_depth;
  if (a.is_leaf()) return 0;
  if (const int by_feature = order(a.literal, b.literal)) return by_feature;
  const int yes = problem_.yes(a.literal >> 1);
  for (const int side : {yes, 1 - yes}) {
    if (a.children[side] == b.children[side]) continue;
    const Subtree &of_a = subtrees_[a.children[side]], &of_b = subtrees_[b.children[side]];
    if (const int by_side = compare(of_a, of_b)) return by_side;
  }
  return 0;
}

}  // namespace optitree
