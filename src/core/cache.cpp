#include "cache.hpp"

#include <algorithm>
#include <new>

namespace optitree {

namespace {

constexpr std::uint64_t kUpperHalf = 0xffffffff00000000U;

}  // namespace

Cache::Cache(const Problem& problem, const Options& options, const Implications& implications)
    : problem_(problem), options_(options), implications_(implications), index_(1024, 0) {}

template <typename Visit>
void Cache::for_each_match(const Support& support, Visit visit) const {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t slot = support.hash & mask; index_[slot] != 0; slot = (slot + 1) & mask) {
    if ((index_[slot] ^ support.hash) & kUpperHalf) continue;
    Entry& candidate = entry(static_cast<std::uint32_t>(index_[slot]) - 1);
    if (candidate.hash == support.hash && candidate.groups == support.groups &&
        same_support(candidate.key(), support)) {
      visit(candidate);
    }
  }
}

bool Cache::same_support(const std::uint64_t* key, const Support& support) const {
  if (support.path.extends_to(key, support.filter, implications_)) return true;
  const std::size_t words = problem_.words();
  return std::ranges::all_of(support.members, [&](std::uint32_t g) {
    if (!problem_.holds(g, support.filter)) return true;
    std::uint64_t broken = 0;
    for (std::size_t k = 0; k < words; ++k) {
      const std::uint64_t bits = problem_.bits(g)[k];
      broken |= (key[k] & ~bits) | (key[words + k] & bits);
    }
    return broken == 0;
  });
}

Cache::Known Cache::find(const Support& support, Depth depth) const {
  Known known;
  if (!options_.cache) return known;
  for_each_match(support, [&](const Entry& entry) {
    if (entry.depth >= depth) known.lower = std::max(known.lower, entry.lower);
    if (entry.depth > depth || entry.depth == kNoDepthLimit) {
      known.lower_above = std::max(known.lower_above, entry.lower);
    }
    if (entry.height <= depth) known.improve(entry.upper, entry.height);
  });
  return known;
}

void Cache::store(const Support& support, Depth depth, const Bounds& bounds) {
  if (!options_.cache) return;
  bool known = false;
  for_each_match(support, [&](Entry& entry) {
    if (entry.depth != depth) return;
    entry.lower = std::max(entry.lower, bounds.lower);
    if (bounds.upper < entry.upper) entry.upper = bounds.upper, entry.height = bounds.height;
    known = true;
  });
  if (known) return;
  if ((size_ + 1) * 4 > index_.size() * 3) grow();
  if (size_ % kChunk == 0) {
    const std::size_t words = kChunk * words_per_entry();
    chunks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(words));
  }
  const auto at = static_cast<std::uint32_t>(size_);
  Entry* added = new (&entry(at))
      Entry{support.hash, bounds.lower, bounds.upper, support.groups, depth, bounds.height};
  for (std::size_t k = 0; k < implications_.words(); ++k) {
    added->key()[k] = support.path.extended(k, support.filter, implications_);
  }
  insert_in_index(support.hash, at);
  ++size_;
}

void Cache::insert_in_index(std::uint64_t hash, std::uint32_t at) {
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = hash & mask;
  while (index_[slot] != 0) slot = (slot + 1) & mask;
  index_[slot] = (hash & kUpperHalf) | (at + 1);
}

void Cache::grow() {
  std::vector<std::uint64_t> old(index_.size() * 2, 0);
  old.swap(index_);
  for (const std::uint64_t slot : old) {
    if (slot == 0) continue;
    const std::uint32_t at = static_cast<std::uint32_t>(slot) - 1;
    insert_in_index(entry(at).hash, at);
  }
}

std::size_t Cache::bytes() const {
  return (chunks_.size() * kChunk * words_per_entry() + index_.size()) * sizeof(std::uint64_t);
}

std::size_t Cache::bytes_after_store() const {
  const bool growing = (size_ + 1) * 4 > index_.size() * 3;
  return bytes() + (growing ? 2 * index_.size() * sizeof(std::uint64_t) : 0);
}

}  // namespace optitree
