#include "cache.hpp"

#include <algorithm>

namespace optitree {

namespace {

constexpr std::uint64_t kUpperHalf = 0xffffffff00000000U;
constexpr std::size_t kLongestKey = 60'000;

}  // namespace

Cache::Cache(const Problem& problem, const Options& options, const Implications& implications)
    : problem_(problem), options_(options), implications_(implications), index_(1024, 0) {}

bool Cache::matches(const Entry& entry, const Support& support) const {
  if (entry.hash != support.hash || entry.groups != support.groups) return false;
  const std::span literals(&keys_[entry.key / kKeyChunk][entry.key % kKeyChunk], entry.length);
  const Conjunction* path = &support.path;
  if (support.filter != Support::kNoFilter) {
    scratch_.set(support.path, support.filter, implications_);
    path = &scratch_;
  }
  return std::ranges::equal(literals, path->literals()) || same_members(literals, support);
}

bool Cache::same_members(std::span<const Literal> literals, const Support& support) const {
  const auto in_support = [&](std::uint32_t g) {
    return support.filter == Support::kNoFilter || problem_.holds(g, support.filter);
  };
  return std::ranges::all_of(support.members, [&](std::uint32_t g) {
    return !in_support(g) || std::ranges::all_of(literals, [&](Literal literal) {
      return problem_.holds(g, literal);
    });
  });
}

Cache::Known Cache::find(const Support& support, Depth depth) const {
  Known known;
  if (!options_.cache) return known;
  const std::size_t mask = index_.size() - 1;
  for (std::size_t slot = support.hash & mask; index_[slot] != 0; slot = (slot + 1) & mask) {
    if ((index_[slot] ^ support.hash) & kUpperHalf) continue;
    const Entry& candidate = entry(static_cast<std::uint32_t>(index_[slot]) - 1);
    if (!matches(candidate, support)) continue;
    if (candidate.depth >= depth) known.lower = std::max(known.lower, candidate.lower);
    if (candidate.depth > depth || candidate.depth == kNoDepthLimit) {
      known.lower_above = std::max(known.lower_above, candidate.lower);
    }
    // A tree that cheap may be known to be no deeper than the limit asked for.
    const bool fits = candidate.depth <= depth || depth + std::size_t{1} >= support.groups ||
                      depth >= deepest_useful(candidate.upper, problem_.regularization(), options_);
    if (fits) known.upper = std::min(known.upper, candidate.upper);
  }
  return known;
}

void Cache::store(const Support& support, Depth depth, const Bounds& bounds) {
  const std::span path = support.path.literals();
  if (!options_.cache || path.size() > kLongestKey) return;
  const std::size_t mask = index_.size() - 1;
  for (std::size_t slot = support.hash & mask; index_[slot] != 0; slot = (slot + 1) & mask) {
    if ((index_[slot] ^ support.hash) & kUpperHalf) continue;
    Entry& candidate = entry(static_cast<std::uint32_t>(index_[slot]) - 1);
    if (candidate.depth != depth || !matches(candidate, support)) continue;
    candidate.lower = std::max(candidate.lower, bounds.lower);
    candidate.upper = std::min(candidate.upper, bounds.upper);
    return;
  }
  if ((size_ + 1) * 4 > index_.size() * 3) grow();
  if (size_ % kChunk == 0) entries_.push_back(std::make_unique<Entry[]>(kChunk));
  const auto at = static_cast<std::uint32_t>(size_++);
  entry(at) = {support.hash,    bounds.lower,
               bounds.upper,    support.groups,
               store_key(path), static_cast<std::uint16_t>(path.size()),
               depth};
  insert_in_index(support.hash, at);
}

std::uint32_t Cache::store_key(std::span<const Literal> path) {
  if (keys_.empty() || keys_used_ + path.size() > kKeyChunk) {
    keys_.push_back(std::make_unique<Literal[]>(kKeyChunk));
    keys_used_ = 0;
  }
  Literal* chunk = keys_.back().get();
  std::copy(path.begin(), path.end(), chunk + keys_used_);
  const std::size_t key = (keys_.size() - 1) * kKeyChunk + keys_used_;
  keys_used_ += path.size();
  return static_cast<std::uint32_t>(key);
}

void Cache::insert_in_index(std::uint64_t hash, std::uint32_t at) {
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = hash & mask;
  while (index_[slot] != 0) slot = (slot + 1) & mask;
  index_[slot] = (hash & kUpperHalf) | (at + 1);
}

void Cache::grow() {
  std::vector<std::uint64_t>(index_.size() * 2, 0).swap(index_);
  for (std::uint32_t at = 0; at < size_; ++at) insert_in_index(entry(at).hash, at);
}

std::size_t Cache::bytes() const {
  return entries_.size() * kChunk * sizeof(Entry) + keys_.size() * kKeyChunk * sizeof(Literal) +
         index_.size() * sizeof(std::uint64_t);
}

std::size_t Cache::bytes_after_store() const {
  const bool growing = (size_ + 1) * 4 > index_.size() * 3;
  return bytes() + (growing ? 2 * index_.size() * sizeof(std::uint64_t) : 0);
}

}  // namespace optitree
