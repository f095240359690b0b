#include "answers/leaf_sets.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "common/paced_sort.hpp"

namespace optitree {

namespace {

// About the nanoseconds that it takes to compare two costs, or two trees, and to move a set.
constexpr std::size_t kWorkOfCosts = 4, kWorkOfTrees = 60, kWorkOfMove = 60;
constexpr std::size_t kFirstSlots = 16;

std::uint64_t hash_of(std::uint32_t number) {
  std::uint64_t x = (number + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
  return x ^ (x >> 32);
}

}  // namespace

// As fine as doubles are at 1, but not finer than what counts up to `largest`: a power of two.
TickScale::TickScale(double largest)
    : tick_(std::ldexp(1.0, std::max(std::ilogb(std::max(largest, 1.0)) - 60, -52))) {}

Ticks TickScale::of(double cost) const {
  constexpr double kMost = 0x1p61;  // so that sums of two are in range
  return static_cast<Ticks>(std::clamp(std::nearbyint(cost / tick_), -kMost, kMost));
}

bool LeafSets::set_leaf(Forest& forest, std::uint32_t support, Ticks cost, Ticks limit) {
  least = cost;
  whole_below = limit + 1;
  if (cost > limit) return true;
  const std::uint32_t tree = forest.number({.support = support});
  if (tree == Forest::kNone || !loan.make_room(sets, 1) || !loan.make_room(leaves, 1)) return false;
  leaves.push_back(support);
  sets.push_back({cost, hash_of(support), leaves, tree});
  return true;
}

BestLeafSets::BestLeafSets(Forest& forest, const TickScale& scale, Watch& watch, Pace& pace,
                           const Wanted& wanted)
    : forest_(forest),
      scale_(scale),
      pace_(pace),
      loan_(watch),
      wanted_(wanted),
      least_(std::numeric_limits<Ticks>::max()),
      whole_below_(wanted.limit + 1) {}

bool BestLeafSets::offer_leaf(Ticks cost) {
  mention(cost);
  if (cost > wanted_.limit) return true;
  const std::uint32_t leaf[] = {wanted_.support};
  return add({cost, hash_of(wanted_.support), 0, {.support = wanted_.support}}, leaf);
}

bool BestLeafSets::offer(Literal literal, const LeafSet& zero, const LeafSet& one) {
  const Ticks cost = zero.cost + one.cost;
  if (cost > wanted_.limit) return true;
  merged_.clear();
  std::ranges::merge(zero.leaves, one.leaves, std::back_inserter(merged_));
  const Candidate candidate{cost, zero.hash + one.hash, 0,
                            forest_.join(literal, zero.tree, one.tree, wanted_.support)};
  if (Candidate* known = find(candidate.hash, merged_)) {
    if (forest_.compare(candidate.tree, known->tree) < 0) known->tree = candidate.tree;
    return true;
  }
  mention(cost);
  return add(candidate, merged_) && (found_.size() < 2 * wanted_.most + 64 || trim());
}

BestLeafSets::Candidate* BestLeafSets::find(std::uint64_t hash,
                                            std::span<const std::uint32_t> leaves) {
  if (slots_.empty()) return nullptr;
  const std::size_t last = slots_.size() - 1;
  for (std::size_t slot = hash & last; slots_[slot] != 0; slot = (slot + 1) & last) {
    Candidate& known = found_[slots_[slot] - 1];
    if (known.hash == hash && std::ranges::equal(leaves_of(known), leaves)) return &known;
  }
  return nullptr;
}

bool BestLeafSets::add(const Candidate& candidate, std::span<const std::uint32_t> leaves) {
  if (!loan_.make_room(found_, 1) || !loan_.make_room(leaves_, leaves.size())) return false;
  found_.push_back(candidate);
  found_.back().begin = leaves_.size();
  leaves_.insert(leaves_.end(), leaves.begin(), leaves.end());
  if (2 * found_.size() <= slots_.size()) {
    put(found_.size() - 1);
    return true;
  }
  const std::size_t before = slots_.size(), after = std::max(kFirstSlots, 2 * before);
  if (!loan_.take(after * sizeof(std::size_t))) return false;
  slots_.assign(after, 0);
  loan_.give_back(before * sizeof(std::size_t));
  for (std::size_t at = 0; at < found_.size(); ++at) put(at);
  return true;
}

// Makes a candidate one that is found.
void BestLeafSets::put(std::size_t at) {
  const std::size_t last = slots_.size() - 1;
  std::size_t slot = found_[at].hash & last;
  while (slots_[slot] != 0) slot = (slot + 1) & last;
  slots_[slot] = at + 1;
}

// All candidates in order.
bool BestLeafSets::rank(std::vector<Ranked>& ranked, std::vector<Ranked>& buffer) {
  for (std::size_t at = 0; at < found_.size(); ++at) ranked.push_back({found_[at].cost, at});
  buffer.resize(ranked.size());
  const auto by_cost = [](const Ranked& a, const Ranked& b) { return a.cost < b.cost; };
  if (!paced_sort<Ranked>(ranked, buffer, by_cost, pace_, kWorkOfCosts)) return false;
  const auto by_tree = [&](const Ranked& a, const Ranked& b) {
    return forest_.compare(found_[a.at].tree, found_[b.at].tree) < 0;
  };
  for (std::size_t begin = 0; begin < ranked.size();) {
    std::size_t end = begin + 1;
    while (end < ranked.size() && ranked[end].cost - ranked[end - 1].cost <= scale_.tolerance()) {
      ++end;
    }
    const std::span<Ranked> equal = std::span(ranked).subspan(begin, end - begin);
    if (!paced_sort<Ranked>(equal, buffer, by_tree, pace_, kWorkOfTrees)) return false;
    begin = end;
  }
  return true;
}

// Leaves the best, in order.
bool BestLeafSets::trim() {
  const std::size_t kept = std::min(found_.size(), wanted_.most);
  const std::size_t scratch =
      2 * found_.size() * sizeof(Ranked) + kept * sizeof(Candidate) + leaves_.size() * 4;
  if (!loan_.take(scratch)) return false;
  std::vector<Ranked> ranked, buffer;
  ranked.reserve(found_.size());
  if (!rank(ranked, buffer)) return false;
  std::vector<Candidate> best;
  std::vector<std::uint32_t> leaves;
  best.reserve(kept);
  Ticks most = std::numeric_limits<Ticks>::min();
  for (std::size_t k = 0; k < kept; ++k) {
    best.push_back(found_[ranked[k].at]);
    const auto numbers = leaves_of(best.back());
    best.back().begin = leaves.size();
    leaves.insert(leaves.end(), numbers.begin(), numbers.end());
    most = std::max(most, best.back().cost);
    if (!pace_.spend(kWorkOfMove)) return false;
  }
  for (std::size_t k = kept; k < ranked.size(); ++k) leave_out(ranked[k].cost);
  // What comes may still be equal to the last in cost, and before it in the order of trees.
  if (kept == wanted_.most) {
    wanted_.limit = std::min(wanted_.limit, most + scale_.tolerance());
    leave_out(wanted_.limit + 1);
  }
  std::ranges::copy(best, found_.begin());
  found_.resize(kept);
  leaves_.assign(leaves.begin(), leaves.end());
  std::ranges::fill(slots_, 0);
  for (std::size_t at = 0; at < kept; ++at) put(at);
  loan_.give_back(scratch);
  return true;
}

bool BestLeafSets::take(LeafSets& best) {
  if (!trim() || !best.loan.make_room(best.sets, found_.size()) ||
      !best.loan.make_room(best.leaves, leaves_.size())) {
    return false;
  }
  best.least = least_;
  best.whole_below = whole_below_;
  best.full = found_.size() == wanted_.most;
  best.leaves.assign(leaves_.begin(), leaves_.end());
  for (const Candidate& candidate : found_) {
    const std::uint32_t tree = forest_.number(candidate.tree);
    if (tree == Forest::kNone || !pace_.spend(kWorkOfMove)) return false;
    const std::span leaves = std::span(best.leaves).subspan(candidate.begin, candidate.tree.leaves);
    best.sets.push_back({candidate.cost, candidate.hash, leaves, tree});
  }
  return true;
}

}  // namespace optitree
