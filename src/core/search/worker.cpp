#include "search/worker.hpp"

#include <algorithm>

#include "costs/squared/kmeans.hpp"

namespace optitree {

void Shared::report(const Bounds& bounds, double lower) {
  const std::lock_guard lock(mutex_);
  root_.improve(bounds);
  if (proving) root_.raise(lower);
}

Bounds Shared::root() const {
  const std::lock_guard lock(mutex_);
  return root_;
}

void Shared::restart(const Bounds& known) {
  const std::lock_guard lock(mutex_);
  root_ = {0, known.upper, known.height, known.leaves};
  goal = known.upper;
  unwind = false;
}

Worker::Worker(Shared& shared, bool leads)
    : shared_(shared),
      problem_(shared.problem),
      options_(shared.options),
      pace_(shared.watch, shared.unwind, leads),
      nodes_(problem_, options_, shared.watch, pace_),
      walks_(problem_, options_, pace_),
      kmedians_(problem_) {}

Bounds Worker::solve_root(Depth depth) {
  Node& root = nodes_.root();
  if (!nodes_.count_pairs_of_root()) return shared_.root();
  const double lower = shared_.proving ? shared_.root().lower : 0;
  const Bounds bounds = solve(root, depth, shared_.goal, lower, 0);
  shared_.report(bounds, bounds.lower);
  return bounds;
}

// Post: the bounds meet (the node is solved), or lower >= budget, or the pace is halted.
Bounds Worker::solve(Node& node, Depth depth, double budget, double lower, std::size_t level) {
  count_solved();
  nodes_.choose_axis(node);
  Bounds bounds = open(node, depth);
  bounds.raise(lower);
  if (problem_.has_prices()) bounds.raise(node.total.price());
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
void Worker::branch(Node& node, Depth depth, double budget, std::size_t level, Bounds& bounds) {
  const auto order = [&](const Split& split) {
    return depth == kNoDepthLimit ? split.lower() + 1e-3 * split.upper()
                                  : split.child[0].leaf + split.child[1].leaf;
  };
  std::sort(node.splits.begin(), node.splits.end(), [&](const Split& a, const Split& b) {
    const double order_a = order(a), order_b = order(b);
    return order_a != order_b ? order_a < order_b : a.row < b.row;
  });
  const auto reached = [&] {
    double least = node.leaf;
    for (const Split& split : node.splits) least = std::min(least, split.lower());
    return std::max(least, bounds.lower);
  };
  const auto attempt = [&](Split& split) {
    for (const int side : {split.smaller(), 1 - split.smaller()}) {
      const double best = std::min(budget, bounds.upper);
      // Hierarchical Objective Lower Bound for Sub-trees: what the other side costs at least is
      // not available to this one.
      double rest = best - split.child[1 - side].lower;
      if (!options_.hierarchical) rest = kInfinity;
      else if (!strictly_better(split.lower(), best)) break;
      if (split.child[side].solved()) continue;
      solve_child(node, split, side, below(depth), rest, level);
      if (pace_.halted()) break;
    }
    bounds.improve(split.upper(), split.height(), split.leaves());
    if (level == 0) shared_.report(bounds, reached());
    return !pace_.halted();
  };
  // Splits on which another thread is at work come last. By then most of what it found is cached.
  const auto taken = [&](const Split& split) {
    if (shared_.threads == 1) return false;
    const Child& first = split.child[split.smaller()];
    const Child& next = first.solved() ? split.child[1 - split.smaller()] : first;
    return !next.solved() && shared_.busy.has(next.hash, below(depth));
  };
  std::vector<Split>& splits = node.splits;
  for (std::size_t done = 0; done < splits.size(); ++done) {
    const auto begin = splits.begin() + static_cast<std::ptrdiff_t>(done);
    const auto next = std::find_if_not(begin, splits.end(), taken);
    if (next != splits.end()) std::rotate(begin, next, next + 1);
    if (!attempt(splits[done])) break;
  }
  bounds.raise(reached());
}

Bounds Worker::open(Node& node, Depth depth) {
  Bounds bounds{node.leaf, node.leaf, 0};
  node.splits.clear();
  if (depth == 0) return bounds;
  const bool exact = measure(node, depth) && depth <= 2;
  const auto all = static_cast<std::uint32_t>(node.members.size());
  for (std::uint32_t row = 0; row < node.axis.size(); ++row) {
    const std::uint64_t hash = node.table.hash(row);
    const std::uint32_t groups = node.table.groups(row);
    Split& split = node.splits.emplace_back();
    split.row = row;
    split.literal = 2 * node.axis[row];
    split.child[0] = {{}, node.hash - hash, all - groups, node.costs.leaf(row, 0)};
    split.child[1] = {{}, hash, groups, node.costs.leaf(row, 1)};
    for (const int side : {0, 1}) {
      Child& child = split.child[side];
      child.improve(child.leaf, 0, 1);
      if (depth > 1) child.improve(node.costs.stump(row, side), 1, 2);
      child.raise(exact ? child.upper : node.costs.deeper(row, side));
      if (problem_.has_prices()) child.raise(node.total_of(split, side).price());
      if (depth > 2) shared_.cache.prefetch(child.hash);
    }
    bounds.improve(split.upper(), split.height(), split.leaves());
    bounds.lower = std::min(bounds.lower, split.lower());
  }
  return bounds;
}

// Fills the costs of a node. False if it was halted.
bool Worker::measure(Node& node, Depth depth) {
  if (!problem_.loss().squared()) {
    return walks_.measure({node.points, node.table, node.axis, node.total}, depth, node.costs);
  }
  node.costs.measure(node.table, node.total, problem_, options_, depth > 2);
  pace_.spend(node.axis.size() * node.axis.size() * 4);
  return true;
}

// The same for a child, over the axis of the node.
std::optional<DepthTwo> Worker::best_of_depth_two(Node& node, const Split& split, int side,
                                                  const PairTable& pairs, std::size_t level) {
  const Cell total = node.total_of(split, side);
  if (!problem_.loss().squared()) {
    const PointList points = nodes_.points(node, split, side, level);
    return walks_.best_of_depth_two({points, pairs, node.axis, total}, split.child[side].leaf);
  }
  pace_.spend(node.axis.size() * node.axis.size() * 3);
  return node.costs.best_of_depth_two(pairs, total, problem_, options_);
}

double Worker::recall(Node& node, Depth depth, double budget) {
  // Subset bound: a tree on a support, restricted to a part of it, is a tree on that part with no
  // more leaves, loss or depth, so V(S) >= V(part) with the same depth left. A restricted leaf may
  // have fewer than min_samples_leaf rows, so it holds only where one row is enough. The children's
  // own bounds hold for any depth of two or more, those from the cache only for the depth of S.
  const bool subset = options_.subset && problem_.restrictions().min_samples_leaf <= 1;
  double least = node.leaf;
  double largest_part = 0;
  for (Split& split : node.splits) {
    for (const int side : {0, 1}) {
      Child& child = split.child[side];
      largest_part = std::max(largest_part, child.lower);
      if (child.solved() || !strictly_better(split.lower(), budget)) continue;
      const Cache::Known known = shared_.cache.find(node.support(split, side), below(depth));
      child.tighten(known);
      largest_part = std::max(largest_part, known.lower_above);
    }
    least = std::min(least, split.lower());
  }
  return subset ? std::max(least, largest_part) : least;
}

void Worker::solve_child(Node& node, Split& split, int side, Depth depth, double budget,
                         std::size_t level) {
  Child& child = split.child[side];
  const auto done = [&] { return !strictly_better(child.lower, std::min(budget, child.upper)); };
  // What the cache knows may be newer than at opening, except where nothing but the children of
  // this node has been solved since.
  if (depth > 2 || shared_.threads > 1) {
    child.tighten(shared_.cache.find(node.support(split, side), depth));
  }
  if (done()) return;

  if (worth_clustering(child, budget)) {
    const Members members = nodes_.members(node, split, side, level);
    const PointList points = nodes_.points(node, split, side, level);
    child.raise(clustering_bound(members, points, child.upper));
  }
  if (!done()) {
    const PairTable* pairs = nodes_.count_pairs(node, split, side, level);
    if (pairs == nullptr) return;
    if (depth == 2) {
      count_solved();
      const std::optional<DepthTwo> best = best_of_depth_two(node, split, side, *pairs, level);
      if (best) child.tighten({best->cost, best->cost, 2, best->leaves});
    } else {
      Node& next = nodes_.enter(node, split, side, level, shared_.implications);
      shared_.busy.enter(child.hash, depth);
      child.tighten(solve(next, depth, budget, child.lower, level + 1));
      shared_.busy.leave(child.hash, depth);
    }
  }
  remember(node, split, side, depth);
}

// The k-means bound costs about as much as opening a small node. It never exceeds the upper bound,
// and it closed a third of the children whose budget lay in the lowest quarter between their
// bounds, but hardly one in a hundred of the others. Where a node is opened by walks, which take
// longer, the lower half pays.
bool Worker::worth_clustering(const Child& child, double budget) const {
  const double share = problem_.loss().squared() ? 0.25 : 0.5;
  return options_.kmeans && budget - child.lower <= share * (child.upper - child.lower);
}

double Worker::clustering_bound(Members members, PointList points, double most) {
  if (!problem_.loss().squared()) {
    pace_.spend(KMedians::work(members, points));
    return kmedians_.bound(members, points, most);
  }
  pace_.spend(members.size() + 1000);
  return kmeans_bound(problem_, members);
}

void Worker::remember(const Node& node, const Split& split, int side, Depth depth) {
  // Past the time limit the bounds of the nodes still open are kept: the tree is read off them.
  const Child& child = split.child[side];
  const Depth effective = effective_depth(depth, child.groups, node.axis.size(), child.upper,
                                          problem_.regularization(), options_);
  shared_.cache.store(node.support(split, side), effective, child);
}

}  // namespace optitree
