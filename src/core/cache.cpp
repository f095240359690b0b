#include "cache.hpp"

#include <algorithm>
#include <mutex>
#include <new>

namespace optitree {

namespace {

constexpr std::uint64_t kUpperHalf = 0xffffffff00000000U;

}  // namespace

Cache::Cache(const Problem& problem, const Options& options, const Implications& implications,
             Watch& watch, std::size_t threads)
    : problem_(problem),
      options_(options),
      implications_(implications),
      watch_(watch),
      parts_(threads > 1 ? kShared : 1) {
  for (Part& part : parts_) part.index.resize(shared() ? 128 : 1024);
}

template <typename Visit>
void Cache::for_each_match(const Part& part, const Support& support, Visit visit) const {
  const std::size_t mask = part.index.size() - 1;
  for (std::size_t slot = support.hash & mask; part.index[slot] != 0; slot = (slot + 1) & mask) {
    if ((part.index[slot] ^ support.hash) & kUpperHalf) continue;
    Entry& candidate = entry(part, static_cast<std::uint32_t>(part.index[slot]) - 1);
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
  Part& part = part_of(support.hash);
  const auto lock = shared() ? std::unique_lock(part.lock) : std::unique_lock<SpinLock>();
  for_each_match(part, support, [&](const Entry& entry) {
    if (entry.depth >= depth) known.lower = std::max(known.lower, entry.lower);
    if (entry.depth == kNoDepthLimit) {
      known.lower_unlimited = entry.lower;
    } else if (entry.depth > depth) {
      known.lower_above = std::max(known.lower_above, entry.lower);
    }
    if (entry.height <= depth) known.improve(entry.upper, entry.height);
  });
  return known;
}

void Cache::store(const Support& support, Depth depth, const Bounds& bounds) {
  if (!options_.cache) return;
  Part& part = part_of(support.hash);
  const auto lock = shared() ? std::unique_lock(part.lock) : std::unique_lock<SpinLock>();
  bool known = false;
  for_each_match(part, support, [&](Entry& entry) {
    if (entry.depth != depth) return;
    entry.lower = std::max(entry.lower, bounds.lower);
    if (bounds.upper < entry.upper) entry.upper = bounds.upper, entry.height = bounds.height;
    known = true;
  });
  if (known || !make_room(part)) return;
  const auto at = static_cast<std::uint32_t>(part.size);
  Entry* added = new (&entry(part, at))
      Entry{support.hash, bounds.lower, bounds.upper, support.groups, depth, bounds.height};
  for (std::size_t k = 0; k < implications_.words(); ++k) {
    added->key()[k] = support.path.extended(k, support.filter, implications_);
  }
  insert_in_index(part, support.hash, at);
  ++part.size;
  size_.fetch_add(1, std::memory_order_relaxed);
}

void Cache::insert_in_index(Part& part, std::uint64_t hash, std::uint32_t at) {
  const std::size_t mask = part.index.size() - 1;
  std::size_t slot = hash & mask;
  while (part.index[slot] != 0) slot = (slot + 1) & mask;
  part.index[slot] = (hash & kUpperHalf) | (at + 1);
}

// For one more entry.
bool Cache::make_room(Part& part) {
  if (part.size == part.chunks.size() * kChunk) {
    const std::size_t words = kChunk * words_per_entry();
    if (!watch_.take(words * sizeof(std::uint64_t))) return false;
    part.chunks.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(words));
  }
  if ((part.size + 1) * 4 <= part.index.size() * 3) return true;
  if (!watch_.take(part.index.size() * sizeof(std::uint64_t))) return false;
  std::vector<std::uint64_t> old(part.index.size() * 2, 0);
  old.swap(part.index);
  for (const std::uint64_t slot : old) {
    if (slot == 0) continue;
    const std::uint32_t at = static_cast<std::uint32_t>(slot) - 1;
    insert_in_index(part, entry(part, at).hash, at);
  }
  return true;
}

}  // namespace optitree
