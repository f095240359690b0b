#include "search/better_trees.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "search/read_off.hpp"
#include "search/tree_cost.hpp"

namespace optitree {

namespace {

constexpr Depth kFirstSplits = 2, kFewSplits = 3, kMostSplits = 4;
constexpr double kLeastWork = 1e6;  // less is not worth beginning
constexpr double kSecondsEach = 0.25, kShareOfFirst = 0.1;
// Work is fruitful if no more of it has gone by since the last better tree than a share of all.
constexpr double kFruitful = 0.5;
// Exchanges get so many times less credit for their work, and so more of it: they find most.
constexpr double kShareOfExchanges = 0.3;
// More settled subtrees are forgotten: some tens of megabytes, in a search of an hour.
constexpr std::size_t kMostSettled = 200'000;

}  // namespace

// Takes it if it is better than the best.
BetterTrees::Improved BetterTrees::offer(Tree tree) {
  if (tree == nullptr) return {nullptr, kInfinity, kFirstSplits};
  const double cost = tree_cost(*tree, shared_.problem, shared_.loss, shared_.table);
  if (incumbent_.offer(tree, cost)) {
    found_at_ = spent_;
    shared_.report({0, cost, static_cast<Depth>(tree->depth), tree->leaves}, 0);
  }
  return {std::move(tree), cost, kFirstSplits};
}

void BetterTrees::begin() {
  const auto begin = static_cast<double>(leader_.pace().spent());
  const double seconds = std::min(kSecondsEach, kShareOfFirst * shared_.watch.time_limit());
  offer(shared_.loss.greedy_tree(shared_.problem, shared_.watch, seconds));
  read_off();
  spent_ += static_cast<double>(leader_.pace().spent()) - begin;
}

void BetterTrees::read_off() {
  offer(ReadOff(leader_, shared_.problem, shared_.watch).best_known(kSecondsEach));
  others_.forget();
  settled_.clear();
}

void BetterTrees::go_on(double usual, double most) {
  Pace& pace = leader_.pace();
  const double least = shared_.options.eager ? 0 : kLeastWork;
  while (incumbent_.tree() != nullptr && !pace.halted()) {
    const double work = spent_ - found_at_ <= kFruitful * spent_ ? most : usual;
    if (work - spent_ <= least) break;
    const auto begin = static_cast<double>(pace.spent());
    const double until = begin + work - spent_;
    if (best_.tree != incumbent_.tree()) take_best();
    const bool begun = best_.splits <= kFewSplits;
    const bool went_on = begun ? improve(best_, until) : by_turns(until);
    spent_ += static_cast<double>(pace.spent()) - begin;
    if (!went_on) break;
  }
}

void BetterTrees::take_best() {
  if (exchange_ != nullptr) offer(exchange_->settle(incumbent_.tree()));
  best_ = offer(incumbent_.tree());
}

// What has had the least work so far goes first. False if all has been tried.
bool BetterTrees::by_turns(double until) {
  using Kind = std::pair<double, bool (BetterTrees::*)(double)>;
  Kind kinds[] = {{kShareOfExchanges * exchanged_, &BetterTrees::exchange},
                  {wide_, &BetterTrees::widen},
                  {deep_, &BetterTrees::deepen}};
  std::ranges::stable_sort(kinds, {}, &Kind::first);
  return std::ranges::any_of(kinds, [&](const Kind& kind) { return (this->*kind.second)(until); });
}

// These are false if all of their kind has been tried.
bool BetterTrees::exchange(double until) {
  if (exchange_ == nullptr) return false;
  Pace& pace = leader_.pace();
  const std::size_t begin = pace.spent();
  pace.pause_at(static_cast<std::size_t>(until));
  Tree tree = exchange_->better(best_.tree);
  const bool complete = !pace.halted();
  pace.never_pause();
  exchanged_ += static_cast<double>(pace.spent() - begin);
  if (tree == nullptr) return !complete;
  offer(std::move(tree));
  return true;
}

bool BetterTrees::deepen(double until) {
  if (best_.splits > kMostSplits) return false;
  const std::size_t begin = leader_.pace().spent();
  improve(best_, until);
  deep_ += static_cast<double>(leader_.pace().spent() - begin);
  return true;
}

bool BetterTrees::widen(double until) {
  const std::size_t begin = leader_.pace().spent();
  if (other_.tree == nullptr || other_.splits > kFewSplits) {
    other_ = offer(others_.next(incumbent_.tree(), kSecondsEach));
    if (other_.tree == nullptr) return false;
  }
  improve(other_, until);
  const auto work = static_cast<double>(leader_.pace().spent() - begin);
  others_.charge(work);
  wide_ += work;
  return true;
}

bool BetterTrees::improve(Improved& at, double until) {
  Pace& pace = leader_.pace();
  pace.pause_at(static_cast<std::size_t>(until));
  if (settled_.size() > kMostSettled) settled_.clear();
  Improvement improvement(leader_, shared_.problem, shared_.watch, at.splits, settled_);
  Tree tree = improvement.improve(at.tree);
  const bool complete = !pace.halted();
  pace.never_pause();
  Improved better = offer(std::move(tree));
  if (strictly_better(better.cost, at.cost)) at = std::move(better);
  else if (complete) ++at.splits;
  return true;
}

}  // namespace optitree
