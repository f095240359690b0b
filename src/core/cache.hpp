// Bounds of the subproblems met so far, found again by their exact support.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bounds.hpp"
#include "conjunction.hpp"
#include "problem.hpp"

namespace optitree {

struct Bounds {
  double lower = 0;
  double upper = kInfinity;
  Depth height = 0;  // no less than the depth of some tree that costs `upper`

  bool solved() const { return !strictly_better(lower, upper); }
  void improve(double cost, Depth tree_height) {
    if (cost < upper) upper = cost, height = tree_height;
  }
  void raise(double bound) { lower = std::max(lower, std::min(bound, upper)); }
  void tighten(const Bounds& other) {
    improve(other.upper, other.height);
    raise(other.lower);
  }
};

// A support that need not be written out: those of `members` for which `filter` holds.
struct Support {
  std::uint64_t hash;
  std::uint32_t groups;
  std::span<const std::uint32_t> members;
  const Conjunction& path;  // leads to `members`
  Literal filter;
};

// An entry's key is a conjunction of literals that defines its support: a few numbers instead of a
// bit per group. A hash match is never trusted. The supports are equal if the conjunctions are, or
// else if they have as many groups and each group asked for satisfies every literal of the entry.
class Cache {
 public:
  Cache(const Problem& problem, const Options& options, const Implications& implications);

  // What is known of the support with `depth` splits left. A lower bound carries over from larger
  // limits, a tree to every limit it fits into. `lower_above` is the lower bound for depth + 1.
  struct Known : Bounds {
    double lower_above = 0;
  };
  Known find(const Support& support, Depth depth) const;
  // Starts to fetch what find() will look at first.
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&index_[hash & (index_.size() - 1)]);
  }

  // Tightens or adds the entry for this support and this limit.
  void store(const Support& support, Depth depth, const Bounds& bounds);

  std::size_t size() const { return size_; }
  std::size_t bytes() const;
  // Memory in use if one more entry is stored: growth of the index included.
  std::size_t bytes_after_store() const;

 private:
  // Followed in memory by its literals.
  struct Entry {
    std::uint64_t hash;
    double lower;
    double upper;
    std::uint32_t groups;
    Depth depth;
    Depth height;
    std::uint32_t length;

    std::span<const Literal> literals() const {
      return {reinterpret_cast<const Literal*>(this + 1), length};
    }
  };
  using Unit = std::uint64_t;  // what memory for entries is counted in
  static constexpr std::size_t kChunk = std::size_t{1} << 16;
  static_assert(sizeof(Entry) % sizeof(Unit) == 0);

  Entry& entry(std::uint32_t at) const {
    return *reinterpret_cast<Entry*>(&chunks_[at / kChunk][at % kChunk]);
  }
  // Calls visit() with every entry for this support.
  template <typename Visit>
  void for_each_match(const Support& support, Visit visit) const;
  bool same_support(std::span<const Literal> literals, const Support& support) const;
  std::uint32_t allocate(std::size_t literals);
  void insert_in_index(std::uint64_t hash, std::uint32_t at);
  void grow();

  const Problem& problem_;
  const Options& options_;
  const Implications& implications_;
  Conjunction key_;  // scratch
  std::vector<std::unique_ptr<Unit[]>> chunks_;
  std::size_t used_ = kChunk;         // of the last chunk
  std::vector<std::uint64_t> index_;  // upper half of the hash, place of the entry + 1
  std::size_t size_ = 0;
};

}  // namespace optitree
