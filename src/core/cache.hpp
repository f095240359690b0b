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
  void improve(const Bounds& other) { improve(other.upper, other.height); }
  void raise(double bound) { lower = std::max(lower, std::min(bound, upper)); }
  void tighten(const Bounds& other) {
    improve(other);
    raise(other.lower);
  }
};

// A support that need not be written out: those of `members` for which `filter` holds.
struct Support {
  std::uint64_t hash;
  std::uint32_t groups;
  Members members;
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
  // Followed in memory by the words of its conjunction.
  struct Entry {
    std::uint64_t hash;
    double lower;
    double upper;
    std::uint32_t groups;
    Depth depth;
    Depth height;

    const std::uint64_t* key() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
    std::uint64_t* key() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  };
  static constexpr std::size_t kChunk = std::size_t{1} << 9;  // entries

  std::size_t words_per_entry() const {
    return sizeof(Entry) / sizeof(std::uint64_t) + implications_.words();
  }
  Entry& entry(std::uint32_t at) const {
    std::uint64_t* chunk = chunks_[at / kChunk].get();
    return *reinterpret_cast<Entry*>(chunk + (at % kChunk) * words_per_entry());
  }
  // Calls visit() with every entry for this support.
  template <typename Visit>
  void for_each_match(const Support& support, Visit visit) const;
  bool same_support(const std::uint64_t* key, const Support& support) const;
  void insert_in_index(std::uint64_t hash, std::uint32_t at);
  void grow();

  const Problem& problem_;
  const Options& options_;
  const Implications& implications_;
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::vector<std::uint64_t> index_;  // upper half of the hash, number of the entry + 1
  std::size_t size_ = 0;
};

}  // namespace optitree
