#include "search/worker.hpp"

#include <algorithm>
#include <optional>

namespace optitree {

namespace {

// About the nanoseconds that go into keeping accounts and looking things up.
constexpr std::size_t kWorkOfNode = 600, kWorkOfSplit = 60, kWorkOfChild = 200;
// Of the time that is left, for what would be lost if it were not enough.
constexpr double kMostAtOnce = 0.25;

}  // namespace

Worker::Worker(Shared& shared, bool leads)
    : shared_(shared),
      problem_(shared.problem),
      options_(shared.options),
      pace_(shared.watch, shared.unwind, leads),
      nodes_(problem_, options_, shared.watch, pace_),
      costs_(shared.loss.node_costs(problem_, options_, pace_)),
      clustering_share_(costs_->clustering_share()) {}

Node* Worker::root(Depth depth) {
  Node* root = nodes_.count_root();
  if (root != nullptr) root->depth = depth;
  return root;
}

Node* Worker::enter(const Node& node, const Split& split, int side) {
  if (nodes_.count_pairs(node, split, side) == nullptr) return nullptr;
  return &nodes_.enter(node, split, side, shared_.implications);
}

double Worker::clustering_bound_of_root() {
  const Node& root = nodes_.root();
  return costs_->clustering_bound(root.members, root.points, kInfinity);
}

Bounds Worker::solve_root(Depth depth, double goal) {
  Node* node = root(depth);
  if (node == nullptr) return shared_.root();
  whole_ = depth == problem_.restrictions().max_depth;
  const Bounds bounds = solve(*node, goal, whole_ ? shared_.root().lower : 0);
  whole_ |= node->depth == kNoDepthLimit;  // the limit made no difference
  shared_.report(bounds, whole_ ? bounds.lower : 0);
  return bounds;
}

// Needs an entered node. Post: the bounds meet (the node is solved), or lower >= budget, or the
// pace is halted.
Bounds Worker::solve(Node& node, double budget, double lower) {
  count_solved();
  Bounds bounds = open(node);
  pace_.spend(kWorkOfNode + kWorkOfSplit * node.axis.size());
  bounds.raise(lower);
  if (problem_.has_prices()) bounds.raise(node.total.price());
  node.depth = effective_depth(node.depth, node.members.size(), node.axis.size(), bounds.upper,
                               problem_.regularization(), options_);
  const auto hopeless = [&] {
    return !strictly_better(bounds.lower, std::min(budget, bounds.upper));
  };
  if (node.depth > 2 && !hopeless()) {
    bounds.raise(recall(node, std::min(budget, bounds.upper)));
    const double below_this = std::min(budget, bounds.upper);
    if (depth_below(below_this, node.depth) == 3 && !hopeless()) solve_at_once(node, below_this);
    if (!hopeless()) branch(node, budget, bounds);
  }
  bounds.settle();
  return bounds;
}

// How many splits on the way to a leaf a tree can have that costs less than `cost`.
Depth Worker::depth_below(double cost, Depth depth) const {
  return std::min(depth, deepest_useful(cost, problem_.regularization(), options_));
}

// The best tree of at most two splits on the way to a leaf. A deeper one has four leaves or more.
void Worker::take(const DepthTwo& best, Depth depth, Child& child) const {
  const double deeper = depth > 2 ? 4 * problem_.regularization() : kInfinity;
  child.tighten({std::min(best.cost, deeper), best.cost, 2, best.leaves});
}

// With three splits left, all children that may matter to a tree below the budget are solved by the
// triples of the node, if there are so many of them that it is less work. It is lost if the time is
// over before its end, so it has to be expected well before: unless nothing else is asked for.
void Worker::solve_at_once(Node& node, double budget) {
  if (!options_.triples || !options_.hierarchical) return;
  const auto matters = [&](const Split& split) {
    return strictly_better(split.lower(), budget) &&
           !(split.child[0].solved() && split.child[1].solved());
  };
  wanted_.assign(node.axis.size(), false);
  double otherwise = options_.eager ? kInfinity : 0;
  for (const Split& split : node.splits) {
    if (!matters(split)) continue;
    wanted_[split.position] = true;
    otherwise += nodes_.work_of_split(node, split);
  }
  const double left = shared_.watch.seconds_left() * 1e9;
  const double most = (whole_ && node.level == 0 ? 1 : kMostAtOnce) * left;
  if (!costs_->measure_children(node.region(), node.members, wanted_, std::min(otherwise, most))) {
    return;
  }
  for (Split& split : node.splits) {
    if (!wanted_[split.position]) continue;
    for (const int side : {0, 1}) {
      Child& child = split.child[side];
      if (child.solved()) continue;
      take(costs_->best_of_child(node.region(), split.position, side), below(node.depth), child);
      child.settle();
      count_solved();
      remember(node, split, side);
    }
  }
}

// The split with the best two leaves goes first: good trees are found early, and with them tight
// budgets for all that follows.
void Worker::branch(Node& node, double budget, Bounds& bounds) {
  std::vector<Split>& splits = node.splits;
  const auto two_leaves = [](const Split& split) {
    return std::pair(split.child[0].leaf + split.child[1].leaf, split.position);
  };
  std::ranges::sort(splits, {}, two_leaves);
  const auto reached = [&] {
    double least = node.leaf;
    for (const Split& split : splits) least = std::min(least, split.lower());
    return std::max(least, bounds.lower);
  };
  for (std::size_t done = 0; done < splits.size(); ++done) {
    // Splits on which another thread is at work come last. By then most of what it found is cached.
    const auto begin = splits.begin() + static_cast<std::ptrdiff_t>(done);
    const auto next = std::find_if_not(
        begin, splits.end(), [&](const Split& split) { return taken(split, below(node.depth)); });
    if (next != splits.end()) std::rotate(begin, next, next + 1);
    // What another thread has found, or the improvement of trees.
    if (node.level == 0) budget = std::min(budget, shared_.root().upper);
    const bool halted = !attempt(node, splits[done], budget, bounds);
    if (node.level == 0) shared_.report(bounds, whole_ ? reached() : 0);
    if (halted) break;
  }
  bounds.raise(reached());
}

// Solves the children of a split as far as a tree that begins with it may be the best. The smaller
// goes first: it is cheaper, and its pair statistics give those of the other. False if halted.
bool Worker::attempt(Node& node, Split& split, double budget, Bounds& bounds) {
  for (const int side : {split.smaller(), 1 - split.smaller()}) {
    const double best = std::min(budget, bounds.upper);
    // Hierarchical Objective Lower Bound for Sub-trees: what the other side costs at least is not
    // available to this one.
    double rest = best - split.child[1 - side].lower;
    if (!options_.hierarchical) rest = kInfinity;
    else if (!strictly_better(split.lower(), best)) break;
    if (split.child[side].solved()) continue;
    solve_child(node, split, side, rest);
    if (pace_.halted()) break;
  }
  bounds.improve(split.upper(), split.height(), split.leaves());
  return !pace_.halted();
}

// Whether another thread is at work on what this split needs next.
bool Worker::taken(const Split& split, Depth depth) const {
  if (shared_.threads == 1) return false;
  const Child& first = split.child[split.smaller()];
  const Child& next = first.solved() ? split.child[1 - split.smaller()] : first;
  return !next.solved() && shared_.in_progress.has(next.hash, depth);
}

Bounds Worker::open(Node& node) {
  nodes_.choose_axis(node);
  const Depth depth = node.depth;
  Bounds bounds{node.leaf, node.leaf, 0};
  node.splits.resize(depth == 0 ? 0 : node.axis.size());
  if (depth == 0) return bounds;
  const bool exact = costs_->measure(node.region(), depth, node.costs) && depth <= 2;
  const bool priced = problem_.has_prices();
  const double price = node.total.price();
  const auto all = static_cast<std::uint32_t>(node.members.size());
  const auto& [leaf, stump, deeper] = node.costs;
  for (std::uint32_t at = 0; at < node.axis.size(); ++at) {
    const std::uint64_t hash = node.pairs.hash(at);
    const std::uint32_t groups = node.pairs.groups(at);
    const double price_1 = node.pairs.diagonal(at).price();
    const double prices[2] = {price - price_1, price_1};
    Split& split = node.splits[at];
    split.position = at;
    split.literal = 2 * node.axis[at];
    split.child[0] = {{}, node.hash - hash, all - groups, leaf[0][at]};
    split.child[1] = {{}, hash, groups, leaf[1][at]};
    for (const int side : {0, 1}) {
      Child& child = split.child[side];
      child.improve(child.leaf, 0, 1);
      if (depth > 1) child.improve(stump[side][at], 1, 2);
      child.raise(exact ? child.upper : deeper[side][at]);
      if (priced) child.raise(prices[side]);
      child.settle();
      if (depth > 2) shared_.cache.prefetch(child.hash);
    }
    bounds.improve(split.upper(), split.height(), split.leaves());
    bounds.lower = std::min(bounds.lower, split.lower());
  }
  return bounds;
}

double Worker::recall(Node& node, double budget) {
  // Subset bound: a tree on a support, restricted to a part of it, is a tree on that part with no
  // more leaves, loss or depth, so V(S) >= V(part) with the same depth left. A restricted leaf may
  // have fewer than min_samples_leaf rows, so it holds only where one row is enough. The children's
  // own bounds hold for any depth of two or more, those from the cache only for the depth of S.
  const bool subset = options_.subset && !problem_.leaf_size().binds();
  if (node.depth <= 2) return 0;
  double least = node.leaf;
  double largest_part = 0;
  for (const Split& split : node.splits) {
    if (!strictly_better(split.lower(), budget)) continue;
    for (const Child& child : split.child) {
      if (!child.solved()) shared_.cache.prefetch_entry(child.hash);
    }
  }
  for (Split& split : node.splits) {
    for (const int side : {0, 1}) {
      Child& child = split.child[side];
      largest_part = std::max(largest_part, child.lower);
      if (child.solved() || !strictly_better(split.lower(), budget)) continue;
      const Cache::Found known = shared_.cache.find(node.support(split, side), below(node.depth));
      child.tighten(known);
      child.settle();
      largest_part = std::max(largest_part, known.lower_above);
    }
    least = std::min(least, split.lower());
  }
  return subset ? std::max(least, largest_part) : least;
}

void Worker::solve_child(Node& node, Split& split, int side, double budget) {
  Child& child = split.child[side];
  pace_.spend(kWorkOfChild);
  const Depth depth = below(node.depth);
  const auto done = [&] { return !strictly_better(child.lower, std::min(budget, child.upper)); };
  // What the cache knows may be newer than at opening, except where nothing but the children of
  // this node has been solved since.
  if (depth > 2 || shared_.threads > 1) {
    child.tighten(shared_.cache.find(node.support(split, side), depth));
    child.settle();
  }
  if (done()) return;
  const InProgress::Mark mark(shared_.threads > 1 ? &shared_.in_progress : nullptr, child.hash,
                              depth);
  if (worth_clustering(child, budget)) {
    const Members members = nodes_.members(node, split, side);
    child.raise(costs_->clustering_bound(members, nodes_.points(node, split, side), child.upper));
  }
  if (!done() && !solve_counted(node, split, side, budget)) return;
  child.settle();
  remember(node, split, side);
}

bool Worker::solve_children(Node& node, Split& split, double limit) {
  for (const int side : {split.smaller(), 1 - split.smaller()}) {
    if (!strictly_better(split.lower(), limit)) return false;
    if (split.child[side].solved()) continue;
    solve_child(node, split, side, limit - split.child[1 - side].lower);
  }
  return true;
}

// Counts the pairs of a child and solves it by them. False if they could not be counted.
bool Worker::solve_counted(Node& node, Split& split, int side, double budget) {
  Child& child = split.child[side];
  const Depth depth = below(node.depth);
  const PairTable* pairs = nodes_.count_pairs(node, split, side);
  if (pairs == nullptr) return false;
  if (depth_below(std::min(budget, child.upper), depth) <= 2) {
    count_solved();
    const PointList points = nodes_.points(node, split, side);
    const std::optional<DepthTwo> best = costs_->best_of_depth_two(
        {points, *pairs, node.axis, node.total_of(split, side), child.leaf});
    if (best) take(*best, depth, child);
    return true;
  }
  Node& next = nodes_.enter(node, split, side, shared_.implications);
  child.tighten(solve(next, budget, child.lower));
  return true;
}

bool Worker::worth_clustering(const Child& child, double budget) const {
  return options_.kmeans && budget - child.lower <= clustering_share_ * (child.upper - child.lower);
}

void Worker::remember(const Node& node, const Split& split, int side) {
  // Past the time limit the bounds of the nodes still open are kept: the tree is read off them.
  const Child& child = split.child[side];
  const Depth effective = effective_depth(below(node.depth), child.groups, node.axis.size(),
                                          child.upper, problem_.regularization(), options_);
  shared_.cache.store(node.support(split, side), effective, child);
}

}  // namespace optitree
