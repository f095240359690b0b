#include "answers/leaf_sets.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace optitree {

namespace {

std::uint64_t hash_of(std::uint32_t number) {
  std::uint64_t x = (number + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
  return x ^ (x >> 32);
}

}  // namespace

// As fine as doubles are at `largest`, but no finer than at 1: a power of two.
TickScale::TickScale(double largest)
    : tick_(std::ldexp(1.0, std::ilogb(std::max(largest, 1.0)) - 52)) {}

Ticks TickScale::of(double cost) const {
  constexpr double kMost = 0x1p61;  // so that sums of two are in range
  return static_cast<Ticks>(std::clamp(std::nearbyint(cost / tick_), -kMost, kMost));
}

std::size_t LeafSet::bytes() const {
  return sizeof(LeafSet) + leaves.capacity() * sizeof(std::uint32_t) + sizeof(Shape) + 64;
}

LeafSet single_leaf(Ticks cost, std::uint32_t number, std::shared_ptr<const Shape> leaf) {
  return {cost, hash_of(number), {number}, std::move(leaf)};
}

int compare(const Shape& a, const Shape& b, const Problem& problem) {
  const auto order = [](std::uint32_t x, std::uint32_t y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (&a == &b) return 0;
  if (const int by_leaves = order(a.leaves, b.leaves)) return by_leaves;
  if (const int by_depth = order(a.depth, b.depth)) return by_depth;
  if (a.is_leaf()) return 0;
  if (const int by_feature = order(a.literal, b.literal)) return by_feature;
  const int yes = problem.yes(a.literal >> 1);
  if (const int by_yes = compare(*a.children[yes], *b.children[yes], problem)) return by_yes;
  return compare(*a.children[1 - yes], *b.children[1 - yes], problem);
}

BestLeafSets::BestLeafSets(const Problem& problem, const TickScale& scale, std::size_t most,
                           Ticks limit)
    : problem_(problem), scale_(scale), most_(most), limit_(limit) {}

void BestLeafSets::offer(LeafSet&& set) {
  if (set.cost > limit_) return;
  by_hash_.emplace(set.hash, found_.size());
  found_.push_back(std::move(set));
}

void BestLeafSets::offer(Literal literal, const LeafSet& zero, const LeafSet& one) {
  const Ticks cost = zero.cost + one.cost;
  if (cost > limit_) return;
  leaves_.clear();
  std::ranges::merge(zero.leaves, one.leaves, std::back_inserter(leaves_));
  const std::uint64_t hash = zero.hash + one.hash;
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    LeafSet& known = found_[at->second];
    if (known.leaves != leaves_) continue;
    if (1 + std::max(zero.shape->depth, one.shape->depth) > known.shape->depth) return;
    auto shape = join(literal, zero.shape, one.shape);
    if (compare(*shape, *known.shape, problem_) < 0) known.shape = std::move(shape);
    return;
  }
  offer({cost, hash, leaves_, join(literal, zero.shape, one.shape)});
  if (found_.size() >= 2 * most_ + 64) trim();
}

std::vector<LeafSet> BestLeafSets::take() {
  trim();
  return std::move(found_);
}

void BestLeafSets::trim() {
  std::ranges::sort(found_, {}, &LeafSet::cost);
  const auto by_tree = [&](const LeafSet& a, const LeafSet& b) {
    return compare(*a.shape, *b.shape, problem_) < 0;
  };
  for (auto begin = found_.begin(); begin != found_.end();) {
    auto end = begin + 1;
    while (end != found_.end() && end->cost - (end - 1)->cost <= scale_.tolerance()) ++end;
    std::sort(begin, end, by_tree);
    begin = end;
  }
  if (found_.size() > most_) found_.resize(most_);
  // What comes may still be equal to the last in cost, and before it in the order of trees.
  if (found_.size() == most_) limit_ = std::min(limit_, found_.back().cost + scale_.tolerance());
  by_hash_.clear();
  for (std::size_t at = 0; at < found_.size(); ++at) by_hash_.emplace(found_[at].hash, at);
}

}  // namespace optitree
