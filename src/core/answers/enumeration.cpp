#include "answers/enumeration.hpp"

#include <algorithm>
#include <utility>

namespace optitree {

namespace {

constexpr std::size_t kWorkOfPair = 300;
constexpr std::size_t kSupportsAtOnce = 1024;
constexpr std::size_t kBytesToFindIt = 64;

}  // namespace

Enumeration::Enumeration(Worker& worker, const Problem& problem, Watch& watch, double largest,
                         std::size_t most)
    : worker_(worker),
      problem_(problem),
      watch_(watch),
      scale_(largest),
      most_(most),
      supports_(problem, worker.implications()) {}

Enumeration::Listed Enumeration::list(double limit) {
  Node* root = worker_.root(problem_.restrictions().max_depth);
  return root == nullptr ? nullptr : list(*root, SupportNumbers::kEverything, limit);
}

// Needs an entered node.
Enumeration::Listed Enumeration::list(Node& node, std::uint32_t number, double limit) {
  BestLeafSets best(problem_, scale_, most_, scale_.of(limit));
  best.offer(single_leaf(scale_.of(node.leaf), number, leaf_));
  worker_.open(node);
  worker_.recall(node, limit);
  // The most promising first, so that the limit falls early. The result does not depend on it.
  std::ranges::sort(node.splits, {}, &Split::lower);
  for (Split& split : node.splits) {
    if (!combine({node, split}, best)) return nullptr;
  }
  std::vector<LeafSet> sets = best.take();
  const bool full = sets.size() == most_;
  return std::make_shared<const List>(List{std::move(sets), limit, full});
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
  return strictly_better(lower[0] + lower[1], limit);
}

Enumeration::Listed Enumeration::list_child(const Branch& branch, int side, double limit) {
  const auto& [node, split] = branch;
  const Child& child = split.child[side];
  const std::uint32_t number = supports_.number(node.support(split, side));
  worker_.pace().spend(node.members.size());
  if (branch.least_split(side) > limit) {
    List only{{}, limit, false};
    if (child.leaf <= limit) {
      only.sets.push_back(single_leaf(scale_.of(child.leaf), number, leaf_));
    }
    return std::make_shared<const List>(std::move(only));
  }
  // A limit on the depth that no tree within the limit on the cost can reach is none.
  const Depth effective = effective_depth(below(node.depth), child.groups, node.axis.size(), limit,
                                          problem_.regularization(), worker_.options());
  const std::uint64_t key = std::uint64_t{number} << 16 | effective;
  const auto known = lists_.find(key);
  if (known != lists_.end() && (known->second->full || known->second->limit >= limit)) {
    return known->second;
  }
  Node* next = worker_.enter(node, split, side);
  Listed listed = next == nullptr ? nullptr : list(*next, number, limit);
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

}  // namespace optitree
