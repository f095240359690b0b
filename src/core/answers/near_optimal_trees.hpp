// All trees that are nearly as good as the best, found with the cache and the bounds of the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "answers/leaf_sets.hpp"
#include "common/options.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"
#include "search/support_numbers.hpp"
#include "search/worker.hpp"

namespace optitree {

// Which trees are wanted: those whose objective exceeds the optimum by no more than a share of it,
// but not more than so many.
struct NearRequest {
  double within = 0;
  std::size_t max_trees = 0;  // 0: none are wanted
};

// One tree for each partition of the groups into leaves: fewest leaves first among equally good
// ones, then least depth, then the earliest features.
struct NearShapes {
  std::vector<std::shared_ptr<const Shape>> shapes;  // in order; none if stopped too soon
  double bound = 0;   // no tree that is missing costs less (above the floor)
  bool more = false;  // than max_trees
};

// For a search that has proven `optimum`, the cost of the best tree. If the watch stops it, the
// trees are all those that cost no more than the bound.
NearShapes near_optimal(Worker& worker, const Problem& problem, const Options& options,
                        Watch& watch, double optimum, const NearRequest& request);

// The best sets of leaves of every support on the way, each the union of those of the two sides of
// a split. docs/theory.md, "Near-optimal trees", has the proof that the best so many of each are
// enough.
class Enumeration {
 public:
  // Costs up to `largest` will be asked for; lists are as long as `most`.
  Enumeration(Worker& worker, const Problem& problem, const Options& options, Watch& watch,
              double largest, std::size_t most);

  struct List {
    std::vector<LeafSet> sets;  // in order
    double limit;               // all that cost no more are there,
    bool full;                  // or the best so many of all
  };
  using Listed = std::shared_ptr<const List>;

  // Of the whole table. Null when the watch stopped before the end.
  Listed list(double limit);
  const TickScale& scale() const { return scale_; }

 private:
  Listed list(Node& node, std::uint32_t number, Depth depth, double limit, std::size_t level);
  // A split of an open node with `depth` splits left, and what its children cost at least if they
  // are split again.
  struct Branch {
    Node& node;
    Split& split;
    const double* least_split;  // by side
    Depth depth;
    std::size_t level;
  };
  // Offers what the split makes possible. False when halted.
  bool combine(const Branch& branch, BestLeafSets& best);
  // Lower bounds on the sides, as far as they matter up to `limit`. False if no tree is below it.
  bool bound_sides(const Branch& branch, double limit, double (&lower)[2]);
  Listed list_child(const Branch& branch, int side, double limit);
  void offer_pairs(const Branch& branch, const List& zero, const List& one, BestLeafSets& best);
  bool keep(std::uint64_t key, const Listed& listed);
  bool halted() { return worker_.pace().halted(); }

  Worker& worker_;
  const Problem& problem_;
  const Options& options_;
  Watch& watch_;
  const TickScale scale_;
  const std::size_t most_;
  const std::shared_ptr<const Shape> leaf_ = std::make_shared<const Shape>();
  Supports supports_;
  std::size_t supports_paid_ = 0;
  std::unordered_map<std::uint64_t, Listed> lists_;  // by number of the support and depth
};

}  // namespace optitree
