// The best sets of leaves of every support on the way, with the cache and the bounds of the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "answers/forest.hpp"
#include "answers/leaf_sets.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "search/support_numbers.hpp"
#include "search/worker.hpp"

namespace optitree {

// Each set is the union of those of the two sides of a split. docs/theory.md, "Near-optimal trees",
// has the proof that the best so many of each support are enough.
class Enumeration {
 public:
  // After a finished search. Costs up to `largest` will be asked for.
  Enumeration(Worker& worker, const Problem& problem, Watch& watch, double largest);

  using Listed = std::shared_ptr<const LeafSets>;

  // Of the whole table: all that cost no more than `limit`, or the best so many. Null when the
  // watch stopped before the end.
  Listed list(double limit, std::size_t most);
  const TickScale& scale() const { return scale_; }
  const Forest& forest() const { return forest_; }

 private:
  // A split of an open node.
  struct Branch {
    Node& node;
    Split& split;
    // What a child costs at least if it is split again.
    double least_split(int side) const;
  };
  struct Kept {
    Listed listed;
    double limit;
  };

  Listed list(Node& node, std::uint32_t number, double limit);
  // Offers what the split makes possible. False when halted.
  bool combine(const Branch& branch, BestLeafSets& best);
  // Lower bounds on the sides, as far as they matter up to `limit`. False if no tree is below it.
  bool bound_sides(const Branch& branch, double limit, double (&lower)[2]);
  Listed list_child(const Branch& branch, int side, double limit);
  Listed only_leaf(std::uint32_t number, double cost, double limit);
  bool offer_pairs(const Branch& branch, const LeafSets& zero, const LeafSets& one,
                   BestLeafSets& best);
  bool keep(std::uint64_t key, const Kept& kept);
  bool halted() { return worker_.pace().halted(); }

  Worker& worker_;
  const Problem& problem_;
  Watch& watch_;
  const TickScale scale_;
  Forest forest_;
  SupportNumbers supports_;
  Loan loan_;
  std::size_t supports_paid_ = 0;
  std::size_t most_ = 0;                           // of a list
  std::unordered_map<std::uint64_t, Kept> lists_;  // by number of the support and depth
};

}  // namespace optitree
