// One thread of the branch-and-bound search over supports.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "costs/pinball/depth_two.hpp"
#include "costs/pinball/kmedians.hpp"
#include "problem/problem.hpp"
#include "search/cache.hpp"
#include "search/in_progress.hpp"
#include "search/node_stack.hpp"

namespace optitree {

// What the threads of a search have in common. All they tell each other is in the cache.
struct Shared {
  Shared(Problem& p, const Options& o, Watch& w, std::size_t t, bool several = false)
      : problem(p), options(o), watch(w), threads(t), cache(p, o, implications, w, t, several) {}

  // Adds what a thread knows of the root. While a seed of little depth is solved, its lower bounds
  // say nothing about deeper trees.
  void report(const Bounds& bounds, double lower);
  Bounds root() const;
  // Begins again with a tree that is known: only better ones are of interest.
  void restart(const Bounds& known);

  Problem& problem;
  const Options& options;
  Watch& watch;
  const std::size_t threads;
  Implications implications;
  Cache cache;
  Busy busy;
  std::atomic<bool> unwind = false;  // asks the threads to come back
  bool proving = false;              // past the seed
  double goal = kInfinity;           // what a tree must cost less than

 private:
  mutable std::mutex mutex_;
  Bounds root_;
};

class Worker {
 public:
  Worker(Shared& shared, bool leads);

  // Solves the root, or comes back earlier with valid bounds.
  Bounds solve_root(Depth depth);

  // The steps of the search, also used to read off the tree.

  // Bounds the children of a node with `depth` splits left. Returns the cost of the best tree of at
  // most two levels, and a lower bound on every tree.
  Bounds open(Node& node, Depth depth);
  // Adds to the children of an open node what the cache knows. Returns a lower bound on the node.
  double recall(Node& node, Depth depth, double budget);
  // Solves one child exactly, or up to a lower bound of at least `budget`, or until it is halted.
  void solve_child(Node& node, Split& split, int side, Depth depth, double budget,
                   std::size_t level);

  // Whether the leaves of a bound are those of a tree that costs as much (see Cache).
  bool knows_leaves() const { return shared_.threads == 1; }
  // A lower bound on the cost of every tree on a support; those of `most` or more may be cut off.
  double clustering_bound(Members members, PointList points, double most = kInfinity);

  NodeStack& nodes() { return nodes_; }
  Walks& walks() { return walks_; }
  const Implications& implications() const { return shared_.implications; }
  Pace& pace() { return pace_; }
  const Pace& pace() const { return pace_; }
  std::uint64_t solved() const { return solved_.load(std::memory_order_relaxed); }

 private:
  Bounds solve(Node& node, Depth depth, double budget, double lower, std::size_t level);
  void branch(Node& node, Depth depth, double budget, std::size_t level, Bounds& bounds);
  bool measure(Node& node, Depth depth);
  std::optional<DepthTwo> best_of_depth_two(Node& node, const Split& split, int side,
                                            const PairTable& pairs, std::size_t level);
  void remember(const Node& node, const Split& split, int side, Depth depth);
  bool worth_clustering(const Child& child, double budget) const;
  void count_solved() { solved_.store(solved() + 1, std::memory_order_relaxed); }

  Shared& shared_;
  const Problem& problem_;
  const Options& options_;
  Pace pace_;
  NodeStack nodes_;
  Walks walks_;
  KMedians kmedians_;
  std::atomic<std::uint64_t> solved_ = 0;  // written by this thread alone
};

// One split less; no limit stays no limit.
inline Depth below(Depth depth) {
  return depth == kNoDepthLimit ? kNoDepthLimit : static_cast<Depth>(depth - 1);
}

}  // namespace optitree
