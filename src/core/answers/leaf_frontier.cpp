#include "answers/leaf_frontier.hpp"

#include <algorithm>
#include <tuple>

#include "search/read_off.hpp"

namespace optitree {

namespace {

// With regularization 0 many trees are tied: compared in full up to this many.
constexpr int kMostComparisons = 20'000;

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

Front Frontier::solve(const std::vector<double>& asked) {
  Node& root = worker_.nodes().root();
  const Depth depth = problem_.restrictions().max_depth;
  if (!worker_.nodes().count_pairs_of_root()) return Front(most_);
  Front& front = entry(root, depth).front;
  solve(root, depth, front, asked, 0);
  return front;
}

Frontier::Entry& Frontier::entry(const Node& node, Depth depth) {
  const auto [begin, end] = entries_.equal_range(node.hash);
  for (auto at = begin; at != end; ++at) {
    Entry& known = *at->second;
    if (known.depth == depth && std::ranges::equal(known.members, node.members)) return known;
  }
  // What it takes beyond the limit is little: the search is halted by it.
  watch_.take(sizeof(Entry) + node.members.size() * sizeof(std::uint32_t) +
              3 * (most_ + 1) * sizeof(double));
  const auto added = entries_.emplace(
      node.hash, new Entry{{node.members.begin(), node.members.end()}, depth, Front(most_), {}});
  added->second->front.improve(1, node.leaf - problem_.regularization());
  return *added->second;
}

void Frontier::open(Node& node, Depth depth) {
  worker_.nodes().choose_axis(node);
  worker_.open(node, depth);
  if (depth > 2) worker_.recall(node, depth, kInfinity);
}

// The node's pairs are counted.
void Frontier::solve(Node& node, Depth depth, Front& front, const std::vector<double>& asked,
                     std::size_t level) {
  const double r = problem_.regularization();
  if (!wanted(front, asked)) return;
  open(node, depth);
  std::ranges::sort(node.splits, [](const Split& a, const Split& b) {
    return std::tuple(a.lower(), a.row) < std::tuple(b.lower(), b.row);
  });
  std::vector<double> least(most_ + 1, node.leaf - r);  // of all trees looked at, no less than this
  std::vector<double> best(asked);
  for (Split& split : node.splits) {
    for (std::size_t k = 1; k <= most_; ++k) {
      // No longer asked for where the bounds have met.
      best[k] = open_at(front, asked, k) ? std::min(asked[k], front.upper[k]) : -kInfinity;
    }
    const bool within = within_reach(node, split, depth, best, level);
    if (worker_.pace().halted()) return;
    if (!within) {
      for (std::size_t k = 2; k <= most_; ++k) {
        least[k] = std::min(least[k], split.lower() - r * static_cast<double>(k));
      }
      continue;
    }
    const Pair pair = solve_sides(node, split, depth, best, level);
    if (!worker_.pace().spend(most_ * most_)) return;
    for (std::size_t k = 2; k <= most_; ++k) {
      for (std::size_t i = 1; i < k; ++i) {
        least[k] = std::min(least[k], pair.side[0].lower[i] + pair.side[1].lower[k - i]);
        front.improve(k, pair.side[0].upper[i] + pair.side[1].upper[k - i]);
      }
    }
  }
  front.raise([&](std::size_t k) { return least[k]; });
}

// Whether a tree that begins with this split may have a loss below what is asked for.
bool Frontier::within_reach(Node& node, Split& split, Depth depth, const std::vector<double>& asked,
                            std::size_t level) {
  double limit = -kInfinity;  // of loss + r leaves
  for (std::size_t k = 2; k <= most_; ++k) {
    limit = std::max(limit, asked[k] + problem_.regularization() * static_cast<double>(k));
  }
  for (const int side : {split.smaller(), 1 - split.smaller()}) {
    if (!strictly_better(split.lower(), limit)) return false;
    if (split.child[side].solved()) continue;
    worker_.solve_child(node, split, side, below(depth), limit - split.child[1 - side].lower,
                        level);
  }
  return strictly_better(split.lower(), limit);
}

// Solves both sides as far as some sum may stay below what is asked for.
Frontier::Pair Frontier::solve_sides(Node& node, Split& split, Depth depth,
                                     const std::vector<double>& asked, std::size_t level) {
  const double r = problem_.regularization();
  Pair pair{{Front(most_), Front(most_)}};
  for (const int side : {0, 1}) {
    const Child& child = split.child[side];
    Front& front = pair.side[side];
    front.improve(1, child.leaf - r);
    if (worker_.knows_leaves()) front.improve(child.leaves, child.upper - r * child.leaves);
    front.lower[1] = child.leaf - r;
    front.raise([&](std::size_t k) { return child.lower - r * static_cast<double>(k); });
  }
  const int first = split.smaller();
  solve_side(node, split, first, depth, pair, asked, level);
  solve_side(node, split, 1 - first, depth, pair, asked, level);
  return pair;
}

void Frontier::solve_side(Node& node, Split& split, int side, Depth depth, Pair& pair,
                          const std::vector<double>& asked, std::size_t level) {
  Front& front = pair.side[side];
  const Front& other = pair.side[1 - side];
  if (below(depth) == 0) {
    front.raise([&](std::size_t) { return split.child[side].leaf - problem_.regularization(); });
    return;
  }
  std::vector<double> rest(most_ + 1, -kInfinity);
  for (std::size_t k = 2; k <= most_; ++k) {
    for (std::size_t i = 1; i < k; ++i) rest[i] = std::max(rest[i], asked[k] - other.lower[k - i]);
  }
  if (!wanted(front, rest)) return;
  if (worker_.nodes().count_pairs(node, split, side, level) == nullptr) return;
  Node& child = worker_.nodes().enter(node, split, side, level, worker_.implications());
  Front& known = entry(child, below(depth)).front;
  known.tighten(front);
  solve(child, below(depth), known, rest, level + 1);
  front.tighten(known);
}

std::shared_ptr<const Shape> Frontier::canonical(std::uint32_t leaves, double loss) {
  if (!worker_.nodes().count_pairs_of_root()) return nullptr;
  return canonical(worker_.nodes().root(), problem_.restrictions().max_depth, leaves, loss, 0);
}

Frontier::Subtree Frontier::canonical(Node& node, Depth depth, std::uint32_t leaves, double loss,
                                      std::size_t level) {
  if (!strictly_better(loss, node.leaf - problem_.regularization())) return leaf_;
  Entry& known = entry(node, depth);
  known.canonical.resize(most_ + 1);
  if (known.canonical[leaves]) return known.canonical[leaves];
  open(node, depth);
  const double limit = loss + 2 * kTolerance;
  std::vector<double> asked(most_ + 1, -kInfinity);
  asked[leaves] = limit;
  Subtree best;
  for (Split& split : node.splits) {
    const bool within = within_reach(node, split, depth, asked, level);
    if (worker_.pace().halted()) return nullptr;
    if (!within) continue;
    const Pair pair = solve_sides(node, split, depth, asked, level);
    if (worker_.pace().halted()) return nullptr;
    const int yes = problem_.flipped(split.literal >> 1) ? 0 : 1;
    const std::vector<double>& loss_yes = pair.side[yes].upper;
    for (std::uint32_t i = 1; i < leaves; ++i) {
      if (!strictly_better(loss_yes[i] + pair.side[1 - yes].upper[leaves - i], limit)) continue;
      // The same tree as with fewer leaves for this side, and more for the other.
      if (i > 1 && !strictly_better(loss_yes[i], loss_yes[i - 1])) continue;
      Subtree child[2];
      for (const int side : {0, 1}) {
        const std::uint32_t k = side == yes ? i : leaves - i;
        child[side] = descend(node, split, side, depth, k, pair.side[side].upper[k], level);
        if (!child[side]) return nullptr;
      }
      Subtree subtree = join(split.literal, std::move(child[0]), std::move(child[1]));
      if (!best ||
          std::tie(subtree->leaves, subtree->depth) < std::tie(best->leaves, best->depth)) {
        best = std::move(subtree);
      }
      ++comparisons_;
    }
    if (best && comparisons_ > kMostComparisons) break;
  }
  return known.canonical[leaves] = best;
}

Frontier::Subtree Frontier::descend(Node& node, const Split& split, int side, Depth depth,
                                    std::uint32_t leaves, double loss, std::size_t level) {
  if (!strictly_better(loss, split.child[side].leaf - problem_.regularization())) return leaf_;
  if (worker_.nodes().count_pairs(node, split, side, level) == nullptr) return nullptr;
  Node& child = worker_.nodes().enter(node, split, side, level, worker_.implications());
  return canonical(child, below(depth), leaves, loss, level + 1);
}

}  // namespace optitree
