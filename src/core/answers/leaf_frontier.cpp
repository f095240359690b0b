#include "answers/leaf_frontier.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "answers/canonical_tree.hpp"

namespace optitree {

namespace {

bool open_at(const Front& front, const std::vector<double>& asked, std::size_t k) {
  return strictly_better(front.lower[k], std::min(asked[k], front.upper[k]));
}

bool wanted(const Front& front, const std::vector<double>& asked) {
  for (std::size_t k = 1; k < asked.size(); ++k) {
    if (open_at(front, asked, k)) return true;
  }
  return false;
}

}  // namespace

void Front::improve(std::size_t leaves, double loss) {
  for (std::size_t k = leaves; k < upper.size() && loss < upper[k]; ++k) upper[k] = loss;
}

void Front::tighten(const Front& other) {
  for (std::size_t k = 1; k < upper.size(); ++k) upper[k] = std::min(upper[k], other.upper[k]);
  raise([&](std::size_t k) { return other.lower[k]; });
}

Front LeafFrontier::solve(const std::vector<double>& asked) {
  Node* root = worker_.root(problem_.restrictions().max_depth);
  if (root == nullptr) return Front(most_);
  Front& front = known(*root).front;
  solve(*root, front, asked);
  return front;
}

LeafFrontier::NodeFront& LeafFrontier::known(const Node& node) {
  if (NodeFront* found = known_.find(node)) return *found;
  // What it takes beyond the limit is little: the search is halted by it.
  watch_.take(NodeMap<NodeFront>::bytes(node) + 3 * (most_ + 1) * sizeof(double));
  NodeFront& added = known_.add(node, {Front(most_), {}});
  added.front.improve(1, node.leaf - problem_.regularization());
  return added;
}

void LeafFrontier::open(Node& node) {
  worker_.open(node);
  worker_.recall(node, kInfinity);
}

// Needs an entered node.
void LeafFrontier::solve(Node& node, Front& front, const Losses& asked) {
  const double r = problem_.regularization();
  if (!wanted(front, asked)) return;
  open(node);
  std::ranges::sort(node.splits, [](const Split& a, const Split& b) {
    return std::tuple(a.lower(), a.position) < std::tuple(b.lower(), b.position);
  });
  std::vector<double> least(most_ + 1, node.leaf - r);  // of all trees looked at, no less than this
  std::vector<double> best(asked);
  for (Split& split : node.splits) {
    for (std::size_t k = 1; k <= most_; ++k) {
      // No longer asked for where the bounds have met.
      best[k] = open_at(front, asked, k) ? std::min(asked[k], front.upper[k]) : -kInfinity;
    }
    const bool within = within_reach(node, split, best);
    if (worker_.pace().halted()) return;
    if (!within) {
      for (std::size_t k = 2; k <= most_; ++k) {
        least[k] = std::min(least[k], split.lower() - r * static_cast<double>(k));
      }
      continue;
    }
    const SideFronts sides = solve_sides(node, split, best);
    if (!worker_.pace().spend(most_ * most_)) return;
    for (std::size_t k = 2; k <= most_; ++k) {
      for (std::size_t i = 1; i < k; ++i) {
        least[k] = std::min(least[k], sides.side[0].lower[i] + sides.side[1].lower[k - i]);
        front.improve(k, sides.side[0].upper[i] + sides.side[1].upper[k - i]);
      }
    }
  }
  front.raise([&](std::size_t k) { return least[k]; });
}

// Whether a tree that begins with this split may have a loss below what is asked for.
bool LeafFrontier::within_reach(Node& node, Split& split, const Losses& asked) {
  double limit = -kInfinity;  // of loss + r leaves
  for (std::size_t k = 2; k <= most_; ++k) {
    limit = std::max(limit, asked[k] + problem_.regularization() * static_cast<double>(k));
  }
  return worker_.solve_children(node, split, limit) && strictly_better(split.lower(), limit);
}

// Solves both sides as far as some sum may stay below what is asked for.
LeafFrontier::SideFronts LeafFrontier::solve_sides(Node& node, Split& split, const Losses& asked) {
  const double r = problem_.regularization();
  SideFronts sides{{Front(most_), Front(most_)}};
  for (const int side : {0, 1}) {
    const Child& child = split.child[side];
    Front& front = sides.side[side];
    front.improve(1, child.leaf - r);
    if (worker_.knows_leaves()) front.improve(child.leaves, child.upper - r * child.leaves);
    front.lower[1] = child.leaf - r;
    front.raise([&](std::size_t k) { return child.lower - r * static_cast<double>(k); });
  }
  const int first = split.smaller();
  solve_side(node, split, first, sides, asked);
  solve_side(node, split, 1 - first, sides, asked);
  return sides;
}

void LeafFrontier::solve_side(Node& node, Split& split, int side, SideFronts& sides,
                              const Losses& asked) {
  Front& front = sides.side[side];
  const Front& other = sides.side[1 - side];
  if (below(node.depth) == 0) {
    front.raise([&](std::size_t) { return split.child[side].leaf - problem_.regularization(); });
    return;
  }
  Losses rest(most_ + 1, -kInfinity);
  for (std::size_t k = 2; k <= most_; ++k) {
    for (std::size_t i = 1; i < k; ++i) rest[i] = std::max(rest[i], asked[k] - other.lower[k - i]);
  }
  if (!wanted(front, rest)) return;
  Node* child = worker_.enter(node, split, side);
  if (child == nullptr) return;
  Front& of_child = known(*child).front;
  of_child.tighten(front);
  solve(*child, of_child, rest);
  front.tighten(of_child);
}

std::shared_ptr<const Shape> LeafFrontier::canonical(std::uint32_t leaves, double loss) {
  Node* root = worker_.root(problem_.restrictions().max_depth);
  return root == nullptr ? nullptr : canonical(*root, leaves, loss);
}

LeafFrontier::Subtree LeafFrontier::canonical(Node& node, std::uint32_t leaves, double loss) {
  if (!strictly_better(loss, node.leaf - problem_.regularization())) return leaf_;
  NodeFront& of_node = known(node);
  of_node.canonical.resize(most_ + 1);
  if (of_node.canonical[leaves]) return of_node.canonical[leaves];
  open(node);
  Subtree best;
  for (Split& split : node.splits) {
    if (!compare_shares(node, split, leaves, loss + 2 * kTolerance, best)) return nullptr;
    if (best && ties_ > kMostTies) break;
  }
  return of_node.canonical[leaves] = best;
}

// Every way in which the sides of a split can share the leaves of a tree with a loss below `limit`.
// False if the search was halted.
bool LeafFrontier::compare_shares(Node& node, Split& split, std::uint32_t leaves, double limit,
                                  Subtree& best) {
  Losses asked(most_ + 1, -kInfinity);
  asked[leaves] = limit;
  const bool within = within_reach(node, split, asked);
  if (worker_.pace().halted()) return false;
  if (!within) return true;
  const SideFronts sides = solve_sides(node, split, asked);
  if (worker_.pace().halted()) return false;
  const int yes = problem_.yes(split.literal >> 1);
  const Losses& loss_yes = sides.side[yes].upper;
  for (std::uint32_t i = 1; i < leaves; ++i) {
    if (!strictly_better(loss_yes[i] + sides.side[1 - yes].upper[leaves - i], limit)) continue;
    // The same tree as with fewer leaves for this side, and more for the other.
    if (i > 1 && !strictly_better(loss_yes[i], loss_yes[i - 1])) continue;
    Subtree child[2];
    for (const int side : {0, 1}) {
      const std::uint32_t k = side == yes ? i : leaves - i;
      child[side] = canonical_child(node, split, side, k, sides.side[side].upper[k]);
      if (!child[side]) return false;
    }
    Subtree subtree = join(split.literal, std::move(child[0]), std::move(child[1]));
    if (!best || simpler(*subtree, *best)) best = std::move(subtree);
    ++ties_;
  }
  return true;
}

LeafFrontier::Subtree LeafFrontier::canonical_child(Node& node, const Split& split, int side,
                                                    std::uint32_t leaves, double loss) {
  if (!strictly_better(loss, split.child[side].leaf - problem_.regularization())) return leaf_;
  Node* child = worker_.enter(node, split, side);
  return child == nullptr ? nullptr : canonical(*child, leaves, loss);
}

}  // namespace optitree
