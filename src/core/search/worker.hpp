// One thread of the branch-and-bound search over supports, and the protocol of its nodes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/watch.hpp"
#include "costs/node_costs.hpp"
#include "search/bounds.hpp"
#include "search/node.hpp"
#include "search/node_stack.hpp"
#include "search/shared.hpp"

namespace optitree {

// Whoever walks the nodes (the search itself, reading off, the canonical tree, the frontier,
// near-optimal trees) takes these steps. A node is entered, then opened; then its children can be
// recalled, solved and entered, in any order and again and again:
//
//   step         needs      leaves
//   root         -          the root, entered; null when halted
//   open         entered    axis, pair statistics, costs, splits with bounds on both children
//   recall       opened     children with what the cache knows, too
//   solve_child  opened     a child solved, or bounded from below by a budget, or halted
//   enter        opened     a child, entered; null when halted
//
// What a step leaves stays until the node is opened or entered again: the nodes below it, which are
// overwritten by every solve_child and enter, have storage of their own, and so have the costs that
// are measured on the way.
class Worker {
 public:
  Worker(Shared& shared, bool leads);

  // With so many splits to a leaf.
  Node* root(Depth depth);
  // Returns the cost of the best tree of depth two at most, and a lower bound on every tree.
  Bounds open(Node& node);
  // As far as children may matter to a tree that costs less than `budget`. Returns a lower bound on
  // the node. Where two splits are left or less all is known already.
  double recall(Node& node, double budget);
  void solve_child(Node& node, Split& split, int side, double budget);
  // Solves both children of a split, the smaller one first, as far as a tree below `limit` may
  // begin with it. False if it was seen on the way that none can.
  bool solve_children(Node& node, Split& split, double limit);
  Node* enter(const Node& node, const Split& split, int side);

  // Solves the root with so many splits to a leaf, as far as trees below `goal` may begin with it,
  // or comes back earlier with valid bounds. What it means for trees of any depth is reported.
  Bounds solve_root(Depth depth, double goal);
  // A lower bound on the cost of every tree on the whole table, without opening it.
  double clustering_bound_of_root();

  // For each position of an open node, what a child costs as two leaves.
  const std::vector<double>& two_leaves(const Node& node, const Split& split, int side) {
    return costs_->two_leaves(node.region(), split.position, side);
  }
  // About the nanoseconds that counting the children of a node takes.
  std::size_t work_of_children(const Node& node) const { return nodes_.work(node.members.size()); }
  // Whether the leaves of a bound are those of a tree that costs as much: threads write the cost
  // and the leaves of a tree one after the other (Cache::change_regularization).
  bool knows_leaves() const { return shared_.threads == 1; }

  const Implications& implications() const { return shared_.implications; }
  const Options& options() const { return options_; }
  Pace& pace() { return pace_; }
  const Pace& pace() const { return pace_; }
  std::uint64_t solved() const { return solved_.load(std::memory_order_relaxed); }

 private:
  Bounds solve(Node& node, double budget, double lower);
  void branch(Node& node, double budget, Bounds& bounds);
  void solve_at_once(Node& node, double budget);
  Depth depth_below(double cost, Depth depth) const;
  void take(const DepthTwo& best, Depth depth, Child& child) const;
  bool attempt(Node& node, Split& split, double budget, Bounds& bounds);
  bool taken(const Split& split, Depth depth) const;
  bool solve_counted(Node& node, Split& split, int side, double budget);
  void remember(const Node& node, const Split& split, int side);
  bool worth_clustering(const Child& child, double budget) const;
  void count_solved() { solved_.store(solved() + 1, std::memory_order_relaxed); }

  Shared& shared_;
  const Problem& problem_;
  const Options& options_;
  Pace pace_;
  NodeStack nodes_;
  const std::unique_ptr<NodeCosts> costs_;
  const double clustering_share_;
  std::vector<bool> wanted_;               // scratch: splits by position
  bool whole_ = true;                      // what is known of the root holds for every tree
  std::atomic<std::uint64_t> solved_ = 0;  // written by this thread alone
};

}  // namespace optitree
