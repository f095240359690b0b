#include "answers/enumeration.hpp"

#include <algorithm>
#include <utility>

namespace optitree {

namespace {

// Bounds of the search are exact up to the tolerance for every leaf, costs of sets of leaves are
// sums of whole numbers. What is pruned by bounds is so far beyond the limit that no set is lost.
constexpr double kMargin = 1e-9;
constexpr std::size_t kWorkOfPair = 150;
// Sets of equal cost are in the order of their trees: what comes later may cost less by the length
// of a chain of such sets.
constexpr double kLongestTie = 1e-10;
constexpr std::size_t kSupportsAtOnce = 1024;
constexpr std::size_t kBytesToFindIt = 64;

}  // namespace

Enumeration::Enumeration(Worker& worker, const Problem& problem, Watch& watch, double largest)
    : worker_(worker),
      problem_(problem),
      watch_(watch),
      scale_(largest),
      forest_(problem, watch),
      supports_(problem, worker.implications()),
      loan_(watch) {}

Enumeration::Listed Enumeration::list(double limit, std::size_t most) {
  if (most != most_) lists_.clear();
  most_ = most;
  Node* root = worker_.root(problem_.restrictions().max_depth);
  return root == nullptr ? nullptr : list(*root, SupportNumbers::kEverything, limit);
}

// Needs an entered node.
Enumeration::Listed Enumeration::list(Node& node, std::uint32_t number, double limit) {
  BestLeafSets best(forest_, scale_, watch_, worker_.pace(), {number, most_, scale_.of(limit)});
  if (!best.offer_leaf(scale_.of(node.leaf))) return nullptr;
  worker_.open(node);
  worker_.recall(node, limit + kMargin);
  // The most promising first, so that the limit falls early. The result does not depend on it.
  std::ranges::sort(node.splits, {}, &Split::lower);
  for (Split& split : node.splits) {
    if (!combine({node, split}, best)) return nullptr;
  }
  auto listed = std::make_shared<LeafSets>(watch_);
  return best.take(*listed) ? listed : nullptr;
}

double Enumeration::Branch::least_split(int side) const {
  const Depth depth = node.depth;
  const std::size_t at = split.position;
  double least = kInfinity;
  if (depth > 1) least = node.costs.stump[side][at];
  // Two leaves are not always measured (NodeCosts); then `deeper` speaks for them as well.
  if (depth > 2 || (depth == 2 && least == kInfinity)) {
    least = std::min(least, node.costs.deeper[side][at]);
  }
  return least;
}

bool Enumeration::combine(const Branch& branch, BestLeafSets& best) {
  const double limit = scale_.cost(best.limit()) + kMargin;
  double lower[2];
  if (!bound_sides(branch, limit, lower)) return !halted();
  const int first = branch.split.smaller();
  Listed lists[2];
  lists[first] = list_child(branch, first, limit - lower[1 - first]);
  if (!lists[first]) return false;
  if (lists[first]->sets.empty()) return true;
  const double least = scale_.cost(lists[first]->least);
  lists[1 - first] = list_child(branch, 1 - first, limit - least);
  if (!lists[1 - first]) return false;
  return offer_pairs(branch, *lists[0], *lists[1], best);
}

bool Enumeration::bound_sides(const Branch& branch, double limit, double (&lower)[2]) {
  Split& split = branch.split;
  for (const int side : {0, 1}) lower[side] = split.child[side].lower;
  for (const int side : {split.smaller(), 1 - split.smaller()}) {
    const double rest = limit - lower[1 - side];
    if (lower[side] > rest) return false;
    const Child& child = split.child[side];
    if (branch.least_split(side) > rest) {
      lower[side] = child.leaf;  // it can be nothing else
    } else {
      if (!child.solved()) {
        worker_.solve_child(branch.node, split, side, rest);
      }
      if (halted()) return false;
      lower[side] = child.lower;
    }
  }
  return lower[0] + lower[1] <= limit;
}

Enumeration::Listed Enumeration::list_child(const Branch& branch, int side, double limit) {
  const auto& [node, split] = branch;
  const Child& child = split.child[side];
  const std::uint32_t number = supports_.number(node.support(split, side));
  worker_.pace().spend(node.members.size());
  if (branch.least_split(side) > limit) return only_leaf(number, child.leaf, limit);
  // A limit on the depth that no tree within the limit on the cost can reach is none.
  const Depth effective = effective_depth(below(node.depth), child.groups, node.axis.size(), limit,
                                          problem_.regularization(), worker_.options());
  const std::uint64_t key = std::uint64_t{number} << 16 | effective;
  const auto known = lists_.find(key);
  if (known != lists_.end() && (known->second.listed->full || known->second.limit >= limit)) {
    return known->second.listed;
  }
  Node* next = worker_.enter(node, split, side);
  Listed listed = next == nullptr ? nullptr : list(*next, number, limit);
  return listed && keep(key, {listed, limit}) ? listed : nullptr;
}

Enumeration::Listed Enumeration::only_leaf(std::uint32_t number, double cost, double limit) {
  auto listed = std::make_shared<LeafSets>(watch_);
  return listed->set_leaf(forest_, number, scale_.of(cost), scale_.of(limit)) ? listed : nullptr;
}

// Two lists in order: before the pair of the i-th and the j-th, counted from one, come all pairs of
// no later ones, i x j with itself. So that pair is needed only if i x j is no more than enough.
bool Enumeration::offer_pairs(const Branch& branch, const LeafSets& zero, const LeafSets& one,
                              BestLeafSets& best) {
  if (zero.sets.empty() || one.sets.empty()) return !halted();
  best.mention(zero.least + one.least);
  best.leave_out(std::min(zero.whole_below + one.least, zero.least + one.whole_below));
  const Ticks slack = scale_.of(kLongestTie);
  for (std::size_t i = 0; i < zero.sets.size(); ++i) {
    std::size_t j = 0;
    for (; j < one.sets.size(); ++j) {
      const LeafSet &a = zero.sets[i], &b = one.sets[j];
      if (a.cost + b.cost > best.limit() + slack) break;
      if ((i + 1) * (j + 1) > most_) {
        best.leave_out(a.cost + b.cost - slack);
        break;
      }
      if (!best.offer(branch.split.literal, a, b)) return false;
      if (!worker_.pace().spend(kWorkOfPair)) return false;
    }
    if (j == 0) break;
  }
  return !halted();
}

// False if there is no memory for it.
bool Enumeration::keep(std::uint64_t key, const Kept& kept) {
  if (supports_.size() > supports_paid_) {
    if (!loan_.take(kSupportsAtOnce * supports_.bytes_each())) return false;
    supports_paid_ += kSupportsAtOnce;
  }
  const auto [place, added] = lists_.try_emplace(key, kept);
  if (!added) place->second = kept;
  return !added || loan_.take(sizeof(LeafSets) + kBytesToFindIt);
}

}  // namespace optitree
