// The branch-and-bound search over supports.
#pragma once

#include "cache.hpp"
#include "kmeans.hpp"
#include "nodes.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "watch.hpp"

namespace optitree {

class Search {
 public:
  Search(const Problem& problem, const Options& options, Watch& watch);

  // Proves the root, or stops at a limit with valid bounds.
  Bounds run();

  // The steps of the search, also used to read off the tree.

  // Bounds the children of a node with `depth` splits left. Returns the cost of the best tree of at
  // most two levels, and a lower bound on every tree.
  Bounds open(Node& node, Depth depth);
  // Adds to the children of an open node what the cache knows. Returns a lower bound on the node.
  double recall(Node& node, Depth depth, double budget);
  // Solves one child exactly, or up to a lower bound of at least `budget`, or until the watch
  // stops.
  void solve_child(Node& node, Split& split, int side, Depth depth, double budget,
                   std::size_t level);

  NodeStack& nodes() { return nodes_; }
  Progress progress() const;

 private:
  Bounds solve(Node& node, Depth depth, double budget, double lower, std::size_t level);
  void report(const Bounds& bounds, double lower);
  void branch(Node& node, Depth depth, double budget, std::size_t level, Bounds& bounds);
  void remember(const Node& node, const Split& split, int side, Depth depth);
  bool worth_clustering(const Child& child, double budget) const;

  const Problem& problem_;
  const Options& options_;
  Watch& watch_;
  NodeStack nodes_;
  Cache cache_;
  // A deep search closes its first branches late. Solving the problem for a small depth first costs
  // little, and a search that is stopped has a good tree to show.
  static constexpr Depth kSeedDepth = 3;

  bool proving_ = false;  // past the seed
  std::uint64_t solved_ = 0;
  Bounds root_;
};

// One split less; no limit stays no limit.
inline Depth below(Depth depth) {
  return depth == kNoDepthLimit ? kNoDepthLimit : static_cast<Depth>(depth - 1);
}

}  // namespace optitree
