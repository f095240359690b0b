#include "search/cache.hpp"

#include <algorithm>
#include <mutex>
#include <new>

namespace optitree {

namespace {

constexpr std::uint64_t kUpperHalf = 0xffffffff00000000U;

}  // namespace

Cache::Cache(const Problem& problem, const Options& options, const Implications& implications,
             Watch& watch, std::size_t threads, bool remember)
    : problem_(problem),
      options_(options),
      implications_(implications),
      watch_(watch),
      remember_(remember),
      parts_(threads > 1 ? kParts : 1) {
  for (Part& part : parts_) {
    if (shared()) part.chunks.reserve(kMostChunks / kParts);
    part.indexes.push_back(std::make_unique<Index>(shared() ? 128 : 1024));
    part.index = part.indexes.back().get();
  }
}

template <typename Visit>
void Cache::for_each_match(const Part& part, const Support& support, Visit visit) const {
  const Index& index = *part.index.load(std::memory_order_acquire);
  for (std::size_t at = support.hash & index.mask;; at = (at + 1) & index.mask) {
    const std::uint64_t slot = index.slots[at].load(std::memory_order_acquire);
    if (slot == 0) return;
    if ((slot ^ support.hash) & kUpperHalf) continue;
    Entry& candidate = entry(part, static_cast<std::uint32_t>(slot) - 1);
    if (candidate.hash == support.hash && candidate.groups == support.groups &&
        same_support(candidate.key(), support, problem_, implications_)) {
      visit(candidate);
    }
  }
}

// A reader must never see an upper bound beside a height that is too small for it, or it would
// believe in a tree that does not fit its depth. So the height rises before the upper bound is
// stored, and falls only after; readers load in the opposite order.
Bounds Cache::Entry::bounds() const {
  const double up = upper.load(std::memory_order_acquire);
  return {lower.load(std::memory_order_relaxed), up, height.load(std::memory_order_relaxed),
          leaves.load(std::memory_order_relaxed)};
}

void Cache::Entry::tighten(const Bounds& bounds) {
  if (bounds.lower > lower.load(std::memory_order_relaxed)) {
    lower.store(bounds.lower, std::memory_order_relaxed);
  }
  if (bounds.upper >= upper.load(std::memory_order_relaxed)) return;
  const bool taller = bounds.height > height.load(std::memory_order_relaxed);
  if (taller) height.store(bounds.height, std::memory_order_relaxed);
  leaves.store(bounds.leaves, std::memory_order_relaxed);
  upper.store(bounds.upper, std::memory_order_release);
  if (!taller) height.store(bounds.height, std::memory_order_release);
}

Cache::Found Cache::find(const Support& support, Depth depth) const {
  Found found;
  if (!options_.cache) return found;
  for_each_match(part_of(support.hash), support, [&](const Entry& entry) {
    const Bounds bounds = entry.bounds();
    if (entry.depth >= depth) found.lower = std::max(found.lower, bounds.lower);
    if (entry.depth > depth || entry.depth == kNoDepthLimit) {
      found.lower_above = std::max(found.lower_above, bounds.lower);
    }
    if (bounds.height <= depth) found.improve(bounds);
  });
  return found;
}

void Cache::store(const Support& support, Depth depth, const Bounds& bounds) {
  if (!options_.cache) return;
  Part& part = part_of(support.hash);
  const auto lock = shared() ? std::unique_lock(part.lock) : std::unique_lock<SpinLock>();
  bool known = false;
  for_each_match(part, support, [&](Entry& entry) {
    if (entry.depth != depth) return;
    entry.tighten(bounds);
    known = true;
  });
  if (known || !reserve_entry(part)) return;
  const auto at = static_cast<std::uint32_t>(part.size);
  Entry* added =
      new (&entry(part, at)) Entry{support.hash, bounds.lower,  bounds.upper, support.groups,
                                   depth,        bounds.height, bounds.leaves};
  for (std::size_t k = 0; k < implications_.words(); ++k) {
    added->key()[k] = support.conjunction.extended(k, support.filter, implications_);
  }
  if (remember_) new (at_others(*added)) BoundsByRegularization{};
  part.index.load(std::memory_order_relaxed)->insert(support.hash, at);
  ++part.size;
  size_.fetch_add(1, std::memory_order_relaxed);
}

void Cache::Index::insert(std::uint64_t hash, std::uint32_t at) {
  std::size_t slot = hash & mask;
  while (slots[slot].load(std::memory_order_relaxed) != 0) slot = (slot + 1) & mask;
  slots[slot].store((hash & kUpperHalf) | (at + 1), std::memory_order_release);
}

void Cache::change_regularization(double from, double to) {
  for (Part& part : parts_) {
    for (std::size_t at = 0; at < part.size; ++at) {
      Entry& known = entry(part, static_cast<std::uint32_t>(at));
      const Bounds bounds = known.bounds();
      const double lower = at_others(known)->change(bounds.lower, from, to);
      // Threads write the cost of a tree and its leaves one after the other: who reads them
      // meanwhile, and passes them on, may have those of two trees.
      const double upper = shared() ? kInfinity : bounds.upper + (to - from) * bounds.leaves;
      known.upper.store(upper, std::memory_order_relaxed);
      known.lower.store(std::min(lower, upper), std::memory_order_relaxed);
    }
  }
}

// For one more entry.
bool Cache::reserve_entry(Part& part) {
  if (part.size == part.chunks.size() * kChunk) {
    const std::size_t words = kChunk * words_per_entry();
    if (shared() && part.chunks.size() == part.chunks.capacity()) return false;
    if (!watch_.take(words * sizeof(std::uint64_t))) return false;
    part.chunks.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(words));
  }
  const Index& old = *part.indexes.back();
  const std::size_t slots = old.mask + 1;
  if ((part.size + 1) * 4 <= slots * 3) return true;
  if (!watch_.take((shared() ? 2 : 1) * slots * sizeof(std::uint64_t))) return false;
  auto grown = std::make_unique<Index>(2 * slots);
  for (std::size_t k = 0; k < slots; ++k) {
    const std::uint64_t slot = old.slots[k].load(std::memory_order_relaxed);
    const std::uint32_t at = static_cast<std::uint32_t>(slot) - 1;
    if (slot != 0) grown->insert(entry(part, at).hash, at);
  }
  part.index.store(grown.get(), std::memory_order_release);
  if (!shared()) part.indexes.clear();
  part.indexes.push_back(std::move(grown));
  return true;
}

}  // namespace optitree
