// Bounds of the subproblems met so far, found again by their exact support.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/options.hpp"
#include "common/spin_lock.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "search/bounds.hpp"
#include "search/bounds_by_regularization.hpp"
#include "search/support.hpp"

namespace optitree {

// An entry's key is a conjunction of literals that defines its support: a few numbers instead of a
// bit per group. A hash match is never trusted. The supports are equal if the conjunctions are, or
// else if they have as many groups and each group asked for satisfies every literal of the entry.
//
// Several threads share a cache. It has parts by hash. To write to a part its lock is needed; to
// read nothing is: an entry is complete before the index shows it, what is found by it never
// changes, and its bounds only get tighter. Outgrown indexes are kept, because someone may still be
// reading them.
class Cache {
 public:
  Cache(const Problem& problem, const Options& options, const Implications& implications,
        Watch& watch, std::size_t threads, bool remember = false);

  // What is known of the support with `depth` splits left. A lower bound carries over from larger
  // limits, a tree to every limit it fits into.
  struct Found : Bounds {
    double lower_above = 0;  // for larger limits
  };
  Found find(const Support& support, Depth depth) const;
  // Starts to fetch what find() will look at first.
  void prefetch(std::uint64_t hash) const {
    const Index& index = *part_of(hash).index.load(std::memory_order_acquire);
    __builtin_prefetch(&index.slots[hash & index.mask]);
  }

  // Once the slot is there: the entry it names, if that may be the one.
  void prefetch_entry(std::uint64_t hash) const {
    const Part& part = part_of(hash);
    const Index& index = *part.index.load(std::memory_order_acquire);
    const std::uint64_t slot = index.slots[hash & index.mask].load(std::memory_order_acquire);
    if (slot != 0 && ((slot ^ hash) >> 32) == 0) {
      __builtin_prefetch(&entry(part, static_cast<std::uint32_t>(slot) - 1));
    }
  }

  // Tightens or adds the entry for this support and this limit; does nothing if there is no memory.
  void store(const Support& support, Depth depth, const Bounds& bounds);

  // Turns all that is known at one regularization into what follows from it at another. Only for a
  // cache that remembers, and while no other thread is at work.
  void change_regularization(double from, double to);

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  // Followed in memory by the words of its conjunction, then by what was known at other
  // regularizations.
  struct Entry {
    std::uint64_t hash;
    std::atomic<double> lower;
    std::atomic<double> upper;
    std::uint32_t groups;
    Depth depth;
    std::atomic<Depth> height;
    std::atomic<std::uint32_t> leaves;

    const std::uint64_t* key() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
    std::uint64_t* key() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    Bounds bounds() const;
    void tighten(const Bounds& bounds);
  };
  // Open addressing; a slot has the upper half of a hash and the number of an entry + 1.
  struct Index {
    explicit Index(std::size_t size)
        : mask(size - 1), slots(new std::atomic<std::uint64_t>[size]()) {}
    void insert(std::uint64_t hash, std::uint32_t at);

    const std::size_t mask;
    const std::unique_ptr<std::atomic<std::uint64_t>[]> slots;
  };
  using Chunk = std::unique_ptr<std::uint64_t[]>;
  static constexpr std::size_t kChunk = std::size_t{1} << 9;        // entries
  static constexpr std::size_t kMostChunks = std::size_t{1} << 22;  // of a shared cache
  static constexpr std::size_t kParts = 64;

  struct Part {
    SpinLock lock;
    std::vector<Chunk> chunks;  // of a shared cache: never moves
    std::vector<std::unique_ptr<Index>> indexes;
    std::atomic<Index*> index;  // the last of them
    std::size_t size = 0;
  };

  std::size_t words_per_entry() const {
    return (sizeof(Entry) + (remember_ ? sizeof(BoundsByRegularization) : 0)) /
               sizeof(std::uint64_t) +
           implications_.words();
  }
  // Where the entry has what was known at other regularizations.
  BoundsByRegularization* at_others(Entry& entry) const {
    return reinterpret_cast<BoundsByRegularization*>(entry.key() + implications_.words());
  }
  Entry& entry(const Part& part, std::uint32_t at) const {
    std::uint64_t* chunk = part.chunks.data()[at / kChunk].get();
    return *reinterpret_cast<Entry*>(chunk + (at % kChunk) * words_per_entry());
  }
  bool shared() const { return parts_.size() > 1; }
  Part& part_of(std::uint64_t hash) const { return parts_[(hash >> 24) % parts_.size()]; }
  // Calls visit() with every entry for this support.
  template <typename Visit>
  void for_each_match(const Part& part, const Support& support, Visit visit) const;
  bool reserve_entry(Part& part);

  const Problem& problem_;
  const Options& options_;
  const Implications& implications_;
  Watch& watch_;
  const bool remember_;
  mutable std::vector<Part> parts_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace optitree
