#include "search.hpp"

#include <algorithm>

namespace optitree {

Search::Search(const Problem& problem, const Options& options, Watch& watch)
    : problem_(problem),
      options_(options),
      watch_(watch),
      nodes_(problem, options, watch),
      cache_(problem, options, nodes_.implications()) {
  watch_.observe([this] { return progress(); });
}

Bounds Search::run() {
  Node& node = nodes_.root();
  root_.improve(leaf_cost(node.total, problem_.regularization()), 0);
  if (options_.kmeans) root_.raise(kmeans_bound(problem_, node.members));
  if (!nodes_.count_pairs_of_root()) return root_;
  const Depth depth = problem_.restrictions().max_depth;
  if (depth > kSeedDepth + 1) root_.improve(solve(node, kSeedDepth, kInfinity, 0, 0));
  if (watch_.stopped()) return root_;
  proving_ = true;
  root_.tighten(solve(node, depth, kInfinity, root_.lower, 0));
  return root_;
}

// Post: the bounds meet (the node is solved), or lower >= budget, or the watch has stopped.
Bounds Search::solve(Node& node, Depth depth, double budget, double lower, std::size_t level) {
  ++solved_;
  nodes_.choose_axis(node);
  Bounds bounds = open(node, depth);
  bounds.raise(lower);
  depth = effective_depth(depth, node.members.size(), node.axis.size(), bounds.upper,
                          problem_.regularization(), options_);
  const auto hopeless = [&] {
    return !strictly_better(bounds.lower, std::min(budget, bounds.upper));
  };
  if (depth > 2 && !hopeless()) {
    bounds.raise(recall(node, depth, std::min(budget, bounds.upper)));
    if (!hopeless()) branch(node, depth, budget, level, bounds);
  }
  if (bounds.solved()) bounds.lower = bounds.upper;
  return bounds;
}

// With a depth limit the split with the best two leaves goes first, without one the split that
// promises most, the better known tree deciding where promises are about equal. Of its children the
// smaller goes first: it is cheaper, and its pair statistics give those of the other.
void Search::branch(Node& node, Depth depth, double budget, std::size_t level, Bounds& bounds) {
  const auto order = [&](const Split& split) {
    return depth == kNoDepthLimit ? split.lower() + 1e-3 * split.upper()
                                  : split.child[0].leaf + split.child[1].leaf;
  };
  std::sort(node.splits.begin(), node.splits.end(), [&](const Split& a, const Split& b) {
    const double order_a = order(a), order_b = order(b);
    return order_a != order_b ? order_a < order_b : a.row < b.row;
  });
  const auto reached = [&] {
    double least = leaf_cost(node.total, problem_.regularization());
    for (const Split& split : node.splits) least = std::min(least, split.lower());
    return std::max(least, bounds.lower);
  };
  for (Split& split : node.splits) {
    for (const int side : {split.smaller(), 1 - split.smaller()}) {
      const double best = std::min(budget, bounds.upper);
      // Hierarchical Objective Lower Bound for Sub-trees: what the other side costs at least is
      // not available to this one.
      double rest = best - split.child[1 - side].lower;
      if (!options_.hierarchical) rest = kInfinity;
      else if (!strictly_better(split.lower(), best)) break;
      if (split.child[side].solved()) continue;
      solve_child(node, split, side, below(depth), rest, level);
      if (watch_.stopped()) break;
    }
    bounds.improve(split.upper(), split.height());
    if (level == 0) report(bounds, reached());
    if (watch_.stopped()) break;
  }
  bounds.raise(reached());
}

// While the seed is solved, its lower bounds say nothing about deeper trees.
void Search::report(const Bounds& bounds, double lower) {
  root_.improve(bounds);
  if (proving_) root_.raise(lower);
}

Bounds Search::open(Node& node, Depth depth) {
  const double lambda = problem_.regularization();
  const double leaf = leaf_cost(node.total, lambda);
  Bounds bounds{leaf, leaf, 0};
  node.splits.clear();
  if (depth == 0) return bounds;
  if (depth > 1) {
    depth_two(node.table, node.total, problem_, options_, depth > 2, node.costs);
    watch_.spend(node.axis.size() * node.axis.size() * 4);
  }
  const auto all = static_cast<std::uint32_t>(node.members.size());
  for (std::uint32_t row = 0; row < node.axis.size(); ++row) {
    const Cell& ones = node.table.diagonal(row);
    const std::uint64_t hash = node.table.hash(row);
    const std::uint32_t groups = node.table.groups(row);
    Split& split = node.splits.emplace_back();
    split.row = row;
    split.literal = 2 * node.axis[row];
    split.child[0] = {{}, node.hash - hash, all - groups, leaf_cost(node.total - ones, lambda)};
    split.child[1] = {{}, hash, groups, leaf_cost(ones, lambda)};
    for (const int side : {0, 1}) {
      Child& child = split.child[side];
      child.improve(child.leaf, 0);
      if (depth > 1) child.improve(node.costs[row].stump(side), 1);
      child.raise(depth > 2 ? node.costs[row].deeper(side) : child.upper);
      if (depth > 2) cache_.prefetch(child.hash);
    }
    bounds.improve(split.upper(), split.height());
    bounds.lower = std::min(bounds.lower, split.lower());
  }
  return bounds;
}

double Search::recall(Node& node, Depth depth, double budget) {
  // Subset bound: a tree on a support, restricted to a part of it, is a tree on that part with no
  // more leaves, loss or depth, so V(S) >= V(part) with the same depth left. A restricted leaf may
  // have fewer than min_samples_leaf rows, so it holds only where one row is enough. The children's
  // own bounds hold for any depth of two or more, those from the cache only for the depth of S.
  const bool subset = options_.subset && problem_.restrictions().min_samples_leaf <= 1;
  double least = leaf_cost(node.total, problem_.regularization());
  double largest_part = 0;
  for (Split& split : node.splits) {
    for (const int side : {0, 1}) {
      Child& child = split.child[side];
      largest_part = std::max(largest_part, child.lower);
      if (child.solved() || !strictly_better(split.lower(), budget)) continue;
      const Cache::Known known = cache_.find(node.support(split, side), below(depth));
      child.tighten(known);
      largest_part = std::max(largest_part, known.lower_above);
    }
    least = std::min(least, split.lower());
  }
  return subset ? std::max(least, largest_part) : least;
}

void Search::solve_child(Node& node, Split& split, int side, Depth depth, double budget,
                         std::size_t level) {
  Child& child = split.child[side];
  const auto done = [&] { return !strictly_better(child.lower, std::min(budget, child.upper)); };
  child.tighten(cache_.find(node.support(split, side), depth));  // may be newer than at opening
  if (done()) return;

  if (worth_clustering(child, budget)) {
    const Members members = nodes_.members(node, split, side, level);
    child.raise(kmeans_bound(problem_, members));
    watch_.spend(members.size() + 1000);
  }
  if (!done()) {
    const PairTable* pairs = nodes_.count_pairs(node, split, side, level);
    if (pairs == nullptr) return;
    if (depth == 2) {
      ++solved_;
      const Cell total = node.total_of(split, side);
      const double best = best_of_depth_two(*pairs, total, problem_, options_, node.costs);
      child.tighten({best, best, 2});
      watch_.spend(node.axis.size() * node.axis.size() * 3);
    } else {
      Node& next = nodes_.enter(node, split, side, level);
      child.tighten(solve(next, depth, budget, child.lower, level + 1));
    }
  }
  remember(node, split, side, depth);
}

// The k-means bound costs about as much as opening a small node. It never exceeds the upper bound,
// and it closed a third of the children whose budget lay in the lowest quarter between their
// bounds, but hardly one in a hundred of the others.
bool Search::worth_clustering(const Child& child, double budget) const {
  return options_.kmeans && budget - child.lower <= 0.25 * (child.upper - child.lower);
}

void Search::remember(const Node& node, const Split& split, int side, Depth depth) {
  // Past the time limit the bounds of the nodes still open are kept: the tree is read off them.
  watch_.afford(nodes_.bytes() + cache_.bytes_after_store());
  if (watch_.status() == Status::kMemoryLimit) return;
  const Child& child = split.child[side];
  const Depth effective = effective_depth(depth, child.groups, node.axis.size(), child.upper,
                                          problem_.regularization(), options_);
  cache_.store(node.support(split, side), effective, child);
}

Progress Search::progress() const {
  return {watch_.seconds(), root_.lower,   root_.upper,
          solved_,          cache_.size(), nodes_.bytes() + cache_.bytes()};
}

}  // namespace optitree
