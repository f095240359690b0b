#include "search/anytime.hpp"

#include <algorithm>
#include <utility>

#include "search/improvement.hpp"
#include "search/read_off.hpp"
#include "search/tree_cost.hpp"

namespace optitree {

namespace {

// The share of the work that may go into rungs: the further the bounds are apart, the less is to be
// expected of the proof for all depths. The most where the time limit is near.
constexpr double kRungsByGap = 2, kMostForRungs = 0.5;
// The share that may go into better trees; the larger where there is no rung to climb.
constexpr double kForImprovement = 0.1, kForImprovementAlone = 0.2;
constexpr double kLeastWork = 1e6;  // less is not worth beginning
constexpr Depth kFirstSplits = 2, kLastSplits = 4;
constexpr double kSecondsEach = 0.25;
// How much more work a rung is than the one before: about a sixth of the conditions have to be
// followed one level further, and not fewer than so many. How much of the time that is left it may
// be.
constexpr double kNextRung = 15, kFollowed = 1.0 / 6, kMostOfTimeLeft = 0.5;
// It is begun when so much of what it is expected to take is there for it. Until then the proof for
// all depths may come, and it would have been in vain.
constexpr double kToBegin = 0.5;
// No more than so many times what it is expected to take is left: it is now or never.
constexpr double kLate = 4;

}  // namespace

// What the next rung is expected to take, if it has not been begun.
double Anytime::expected() const { return growth() * last_rung_; }

double Anytime::growth() const {
  return std::max(kNextRung, kFollowed * static_cast<double>(shared_.problem.features()));
}

// The work that is to be had until the time limit, by what a second has been so far.
double Anytime::left() const {
  const Watch& watch = shared_.watch;
  return watch.seconds_left() * static_cast<double>(leader_.pace().spent()) / watch.seconds();
}

bool Anytime::in_reach(double work) const {
  return rung_ < shared_.problem.restrictions().max_depth && work < kMostOfTimeLeft * left();
}

// What of so much work in all is for the next rung and those after it.
double Anytime::due(double work) const {
  const bool late = left() < kLate * expected();
  const double by_gap = kRungsByGap * shared_.relative_gap();
  const double due = (late ? kMostForRungs : std::min(kMostForRungs, by_gap)) * work - climbing_;
  const bool enough =
      begun_ > 0 || shared_.options.eager || (in_reach(expected()) && due > kToBegin * expected());
  return enough && due > kLeastWork ? due : 0;
}

bool Anytime::out_of_reach() const {
  return rung_ < shared_.problem.restrictions().max_depth && !in_reach(growth() * expected());
}

double Anytime::put_off() const { return begun_ == 0 && in_reach(expected()) ? expected() : 0; }

void Anytime::begin_at(Depth depth) {
  const std::size_t begin = leader_.pace().spent();
  const Bounds bounds = leader_.solve_root(depth, kInfinity);
  if (leader_.pace().halted()) return;
  last_rung_ = static_cast<double>(leader_.pace().spent() - begin);
  shared_.prove_depth(depth, bounds.lower);
  rung_ = static_cast<Depth>(depth + 1);
}

void Anytime::offer(const std::shared_ptr<const Shape>& tree) {
  if (tree == nullptr) return;
  const double cost = tree_cost(*tree, shared_.problem, shared_.loss, shared_.table);
  if (incumbent_.offer(tree, cost)) {
    shared_.report({0, cost, static_cast<Depth>(tree->depth), tree->leaves}, 0);
  }
}

void Anytime::read_off() {
  offer(ReadOff(leader_, shared_.problem, shared_.watch).best_known(kSecondsEach));
}

void Anytime::first_trees() {
  const double begin = static_cast<double>(leader_.pace().spent());
  const double seconds = std::min(kSecondsEach, kForImprovement * shared_.watch.time_limit());
  offer(shared_.loss.greedy_tree(shared_.problem, shared_.watch, seconds));
  read_off();
  improving_ += static_cast<double>(leader_.pace().spent()) - begin;
}

void Anytime::go_on(double work) {
  if (incumbent_.tree() == nullptr) first_trees();
  climb(work);
  improve(work);
}

// Rung by rung, each as far as trees better than the best known go.
void Anytime::climb(double work) {
  Pace& pace = leader_.pace();
  while (rung_ < shared_.problem.restrictions().max_depth && !pace.halted()) {
    const double more = due(work);
    if (more == 0) break;
    const std::size_t begin = pace.spent();
    pace.pause_at(begin + static_cast<std::size_t>(more));
    const Bounds bounds = leader_.solve_root(rung_, std::min(shared_.goal, shared_.root().upper));
    const bool complete = !pace.halted();
    pace.never_pause();
    begun_ += static_cast<double>(pace.spent() - begin);
    if (complete) {
      last_rung_ = std::exchange(begun_, 0);
      shared_.prove_depth(rung_, bounds.lower);
      ++rung_;
      read_off();
    }
    climbing_ += static_cast<double>(pace.spent() - begin);
  }
}

void Anytime::improve(double work) {
  Pace& pace = leader_.pace();
  while (incumbent_.tree() != nullptr && !pace.halted()) {
    const double share = out_of_reach() ? kForImprovementAlone : kForImprovement;
    const double left = share * work - improving_;
    if (left < kLeastWork) break;
    if (improved_ != incumbent_.tree()) {
      improved_ = incumbent_.tree();
      splits_ = kFirstSplits;
    }
    if (splits_ > kLastSplits) break;
    const std::size_t begin = pace.spent();
    pace.pause_at(begin + static_cast<std::size_t>(left));
    auto better = Improvement(leader_, shared_.problem, shared_.watch, splits_).improve(*improved_);
    const bool complete = !pace.halted();
    pace.never_pause();
    offer(better);
    improving_ += static_cast<double>(pace.spent() - begin);
    if (complete && improved_ == incumbent_.tree()) ++splits_;
    if (!complete) break;
  }
}

}  // namespace optitree
