#include "answers/near_optimal_trees.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace optitree {

namespace {

// Bounds are exact up to the tolerance for every leaf. Lists go so far beyond what is asked for
// that no tree is lost by it; the last word has the cost of a set of leaves, which is their sum.
constexpr double kMargin = 1e-9;

// Trees are listed in rounds, up to a small excess over the optimum first: if there are more than
// enough of them, or time runs out, the rounds that were over are the answer. The last round takes
// most of the time.
constexpr int kRounds = 8;  // each to twice the excess of the one before

constexpr double kHuge = 1e307;  // still far from overflow

constexpr std::size_t kWorkOfPair = 300;
constexpr std::size_t kSupportsAtOnce = 1024;
constexpr std::size_t kBytesToFindIt = 64;

}  // namespace

Enumeration::Enumeration(Worker& worker, const Problem& problem, const Options& options,
                         Watch& watch, double largest, std::size_t most)
    : worker_(worker),
      problem_(problem),
      options_(options),
      watch_(watch),
      scale_(largest),
      most_(most),
      supports_(problem, worker.implications()) {}

Enumeration::Listed Enumeration::list(double limit) {
  if (!worker_.nodes().count_pairs_of_root()) return nullptr;
  return list(worker_.nodes().root(), Supports::kEverything, problem_.restrictions().max_depth,
              limit, 0);
}

// The pair statistics of the node are counted.
Enumeration::Listed Enumeration::list(Node& node, std::uint32_t number, Depth depth, double limit,
                                      std::size_t level) {
  BestLeafSets best(problem_, scale_, most_, scale_.of(limit));
  best.offer(single_leaf(scale_.of(node.leaf), number, leaf_));
  if (depth > 0) {
    worker_.nodes().choose_axis(node);
    worker_.open(node, depth);
    // Read now: solving a child uses the costs of its node as scratch.
    std::vector<std::array<double, 2>> least_split(node.splits.size(), {kInfinity, kInfinity});
    for (const Split& split : node.splits) {
      for (const int side : {0, 1}) {
        double& least = least_split[split.row][static_cast<std::size_t>(side)];
        if (depth > 1) least = node.costs.stump(split.row, side);
        // Two leaves are not always measured (walks.hpp); then `deeper` speaks for them as well.
        if (depth > 2 || (depth == 2 && least == kInfinity)) {
          least = std::min(least, node.costs.deeper(split.row, side));
        }
      }
    }
    if (depth > 2) worker_.recall(node, depth, limit);
    // The most promising first, so that the limit falls early. The result does not depend on it.
    std::ranges::sort(node.splits, {}, &Split::lower);
    for (Split& split : node.splits) {
      const Branch branch{node, split, least_split[split.row].data(), depth, level};
      if (!combine(branch, best)) return nullptr;
    }
  }
  std::vector<LeafSet> sets = best.take();
  const bool full = sets.size() == most_;
  return std::make_shared<const List>(List{std::move(sets), limit, full});
}

bool Enumeration::combine(const Branch& branch, BestLeafSets& best) {
  const double limit = scale_.cost(best.limit());
  double lower[2];
  if (!bound_sides(branch, limit, lower)) return !halted();
  const int first = branch.split.smaller();
  Listed lists[2];
  lists[first] = list_child(branch, first, limit - lower[1 - first]);
  if (!lists[first]) return false;
  if (lists[first]->sets.empty()) return true;
  const double least = scale_.cost(lists[first]->sets.front().cost);
  lists[1 - first] = list_child(branch, 1 - first, limit - least);
  if (!lists[1 - first]) return false;
  offer_pairs(branch, *lists[0], *lists[1], best);
  return !halted();
}

bool Enumeration::bound_sides(const Branch& branch, double limit, double (&lower)[2]) {
  Split& split = branch.split;
  for (const int side : {0, 1}) lower[side] = split.child[side].lower;
  for (const int side : {split.smaller(), 1 - split.smaller()}) {
    const double rest = limit - lower[1 - side];
    if (!strictly_better(lower[side], rest)) return false;
    const Child& child = split.child[side];
    if (branch.least_split[side] > rest) {
      lower[side] = child.leaf;  // it can be nothing else
    } else {
      if (!child.solved()) {
        worker_.solve_child(branch.node, split, side, below(branch.depth), rest, branch.level);
      }
      if (halted()) return false;
      lower[side] = child.lower;
    }
  }
  return strictly_better(lower[0] + lower[1], limit);
}

Enumeration::Listed Enumeration::list_child(const Branch& branch, int side, double limit) {
  const auto& [node, split, least_split, depth, level] = branch;
  const Child& child = split.child[side];
  const std::uint32_t number = supports_.number(node.support(split, side));
  worker_.pace().spend(node.members.size());
  if (least_split[side] > limit) {
    List only{{}, limit, false};
    if (child.leaf <= limit) {
      only.sets.push_back(single_leaf(scale_.of(child.leaf), number, leaf_));
    }
    return std::make_shared<const List>(std::move(only));
  }
  // A limit on the depth that no tree within the limit on the cost can reach is none.
  const Depth effective = effective_depth(below(depth), child.groups, node.axis.size(), limit,
                                          problem_.regularization(), options_);
  const std::uint64_t key = std::uint64_t{number} << 16 | effective;
  const auto known = lists_.find(key);
  if (known != lists_.end() && (known->second->full || known->second->limit >= limit)) {
    return known->second;
  }
  if (worker_.nodes().count_pairs(node, split, side, level) == nullptr) return nullptr;
  Node& next = worker_.nodes().enter(node, split, side, level, worker_.implications());
  Listed listed = list(next, number, below(depth), limit, level + 1);
  return listed && keep(key, listed) ? listed : nullptr;
}

// Two lists in order: before the pair of the i-th and the j-th, counted from one, come all pairs of
// no later ones, i x j with itself. So that pair is needed only if i x j is no more than enough.
void Enumeration::offer_pairs(const Branch& branch, const List& zero, const List& one,
                              BestLeafSets& best) {
  for (std::size_t i = 0; i < zero.sets.size() && !halted(); ++i) {
    std::size_t j = 0;
    for (; j < one.sets.size() && (i + 1) * (j + 1) <= most_; ++j) {
      const LeafSet &a = zero.sets[i], &b = one.sets[j];
      if (a.cost + b.cost > best.limit() + scale_.tolerance()) break;
      best.offer(branch.split.literal, a, b);
    }
    if (j == 0) break;
    worker_.pace().spend(j * kWorkOfPair);
  }
}

// False if there is no memory for it.
bool Enumeration::keep(std::uint64_t key, const Listed& listed) {
  const auto bytes = [](const List& list) {
    std::size_t sum = sizeof(List) + kBytesToFindIt;
    for (const LeafSet& set : list.sets) sum += set.bytes();
    return sum;
  };
  if (supports_.size() > supports_paid_) {
    if (!watch_.take(kSupportsAtOnce * supports_.bytes_each())) return false;
    supports_paid_ += kSupportsAtOnce;
  }
  if (!watch_.take(bytes(*listed))) return false;
  Listed& kept = lists_[key];
  if (kept) watch_.give_back(bytes(*kept));
  kept = listed;
  return true;
}

NearShapes near_optimal(Worker& worker, const Problem& problem, const Options& options,
                        Watch& watch, double optimum, const NearRequest& request) {
  const double floor = problem.total() > 0 ? problem.floor() / problem.total() : 0;
  // What a tree can cost at most: all loss, and a leaf for each group.
  const double most_leaves = static_cast<double>(problem.groups());
  const double largest =
      std::max(optimum, std::min(1 + problem.regularization() * most_leaves, kHuge));
  Enumeration enumeration(worker, problem, options, watch, largest, request.max_trees + 1);
  const TickScale& scale = enumeration.scale();
  NearShapes near;
  near.bound = optimum;
  for (int round = 0; round <= kRounds && !near.more; ++round) {
    const double share = round == 0 ? 0 : std::ldexp(request.within, round - kRounds);
    if (round > 0 && share == 0) break;
    const auto limit = [&] { return std::min(optimum + share * (optimum + floor), largest); };
    const Enumeration::Listed listed = enumeration.list(limit() + kMargin);
    if (!listed || listed->sets.empty()) break;
    optimum = std::min(optimum, scale.cost(listed->sets.front().cost));
    near.bound = limit();
    near.shapes.clear();
    for (const LeafSet& set : listed->sets) {
      const double cost = scale.cost(set.cost);
      if (strictly_better(limit(), cost)) continue;
      near.more = near.shapes.size() == request.max_trees;
      if (near.more) {
        near.bound = cost;
        break;
      }
      near.shapes.push_back(set.shape);
    }
  }
  return near;
}

}  // namespace optitree
