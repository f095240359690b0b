#include "cache.hpp"

#include <algorithm>
#include <new>

namespace optitree {

namespace {

constexpr std::uint64_t kUpperHalf = 0xffffffff00000000U;
constexpr std::size_t kLongestKey = 60'000;  // literals; well within a chunk

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
        same_support(candidate.literals(), support)) {
      visit(candidate);
    }
  }
}

bool Cache::same_support(std::span<const Literal> literals, const Support& support) const {
  if (support.path.extends_to(literals, support.filter, implications_)) return true;
  if (problem_.words() == 1) {
    std::uint64_t mask = 0;
    std::uint64_t value = 0;
    for (const Literal literal : literals) {
      mask |= std::uint64_t{1} << (literal >> 1);
      value |= std::uint64_t{literal & 1} << (literal >> 1);
    }
    return std::ranges::all_of(support.members, [&](std::uint32_t g) {
      return (*problem_.bits(g) & mask) == value || !problem_.holds(g, support.filter);
    });
  }
  return std::ranges::all_of(support.members, [&](std::uint32_t g) {
    if (!problem_.holds(g, support.filter)) return true;
    return std::ranges::all_of(literals, [&](Literal each) { return problem_.holds(g, each); });
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
  if (!options_.cache || support.path.literals().size() >= kLongestKey) return;
  bool known = false;
  for_each_match(support, [&](Entry& entry) {
    if (entry.depth != depth) return;
    entry.lower = std::max(entry.lower, bounds.lower);
    if (bounds.upper < entry.upper) entry.upper = bounds.upper, entry.height = bounds.height;
    known = true;
  });
  if (known) return;
  if ((size_ + 1) * 4 > index_.size() * 3) grow();
  key_.set(support.path, support.filter, implications_);
  const std::span literals = key_.literals();
  const std::uint32_t at = allocate(literals.size());
  const auto length = static_cast<std::uint32_t>(literals.size());
  Entry* added = new (&entry(at))
      Entry{support.hash, bounds.lower, bounds.upper, support.groups, depth, bounds.height, length};
  std::ranges::copy(literals, reinterpret_cast<Literal*>(added + 1));
  insert_in_index(support.hash, at);
  ++size_;
}

std::uint32_t Cache::allocate(std::size_t literals) {
  const std::size_t bytes = sizeof(Entry) + literals * sizeof(Literal);
  const std::size_t units = (bytes + sizeof(Unit) - 1) / sizeof(Unit);
  if (used_ + units > kChunk) {
    chunks_.push_back(std::make_unique_for_overwrite<Unit[]>(kChunk));
    used_ = 0;
  }
  const std::size_t at = (chunks_.size() - 1) * kChunk + used_;
  used_ += units;
  return static_cast<std::uint32_t>(at);
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
  return chunks_.size() * kChunk * sizeof(Unit) + index_.size() * sizeof(std::uint64_t);
}

std::size_t Cache::bytes_after_store() const {
  const bool growing = (size_ + 1) * 4 > index_.size() * 3;
  return bytes() + (growing ? 2 * index_.size() * sizeof(std::uint64_t) : 0);
}

}  // namespace optitree
