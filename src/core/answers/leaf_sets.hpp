// Partitions of a support into leaves, and the best so many of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "answers/forest.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"

namespace optitree {

// Costs of partitions are counted in ticks, whole numbers: a sum of leaves does not depend on the
// order of its terms.
using Ticks = std::int64_t;

class TickScale {
 public:
  // For costs up to `largest`.
  explicit TickScale(double largest);

  Ticks of(double cost) const;
  double cost(Ticks ticks) const { return static_cast<double>(ticks) * tick_; }
  Ticks tolerance() const { return of(kTolerance); }  // costs no further apart are equal

 private:
  double tick_;
};

// Leaves by the numbers of their supports. Many trees may have these leaves: `tree` is the first of
// them in the order of trees (Forest::compare), by its number.
struct LeafSet {
  Ticks cost;
  std::uint64_t hash;                     // of the leaves; proposes, never decides
  std::span<const std::uint32_t> leaves;  // ascending
  std::uint32_t tree;
};

// The best partitions of a support, in order.
struct LeafSets {
  explicit LeafSets(Watch& watch) : loan(watch) {}

  // One leaf and nothing else, if it costs no more than `limit`. False if there is no memory.
  bool set_leaf(Forest& forest, std::uint32_t support, Ticks cost, Ticks limit);

  Loan loan;
  std::vector<LeafSet> sets;
  std::vector<std::uint32_t> leaves;  // of all sets, one after the other
  Ticks least = 0;                    // what the best costs
  Ticks whole_below = 0;              // every partition that costs less is there
  bool full = false;                  // as many as could be kept
};

// Collects partitions of one support, each once, and keeps the best. The order of partitions is
// that of their costs, and where these are equal, of their trees. Costs are equal if they, or all
// that come between them, are no further apart than the tolerance.
class BestLeafSets {
 public:
  // What is kept of whom: at most `most` partitions that cost no more than `limit`.
  struct Wanted {
    std::uint32_t support;
    std::size_t most;
    Ticks limit;
  };
  BestLeafSets(Forest& forest, const TickScale& scale, Watch& watch, Pace& pace,
               const Wanted& wanted);

  // The support as one leaf. False, as the others that tell, if it is time to unwind.
  bool offer_leaf(Ticks cost);
  // The partition of the two sides of a split.
  bool offer(Literal literal, const LeafSet& zero, const LeafSet& one);
  // There is a partition that costs so much, offered or not.
  void mention(Ticks cost) { least_ = std::min(least_, cost); }
  // Some that cost so much or more are not offered.
  void leave_out(Ticks cost) { whole_below_ = std::min(whole_below_, cost); }
  // What costs more is no longer needed. Falls once there are enough.
  Ticks limit() const { return wanted_.limit; }
  // Moves them out, in order.
  bool take(LeafSets& best);

 private:
  struct Candidate {
    Ticks cost;
    std::uint64_t hash;
    std::size_t begin;  // of its leaves
    Subtree tree;
  };
  struct Ranked {
    Ticks cost;
    std::size_t at;
  };

  std::span<const std::uint32_t> leaves_of(const Candidate& candidate) const {
    return {leaves_.data() + candidate.begin, candidate.tree.leaves};
  }
  Candidate* find(std::uint64_t hash, std::span<const std::uint32_t> leaves);
  bool add(const Candidate& candidate, std::span<const std::uint32_t> leaves);
  void put(std::size_t at);
  bool rank(std::vector<Ranked>& ranked, std::vector<Ranked>& buffer);
  bool trim();

  Forest& forest_;
  const TickScale& scale_;
  Pace& pace_;
  Loan loan_;
  Wanted wanted_;
  Ticks least_;
  Ticks whole_below_;
  std::vector<Candidate> found_;
  std::vector<std::uint32_t> leaves_;  // theirs
  std::vector<std::size_t> slots_;     // where they are found by hash: place + 1, or 0
  std::vector<std::uint32_t> merged_;  // scratch
};

}  // namespace optitree
