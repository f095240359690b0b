#include "search/anytime.hpp"

#include <algorithm>
#include <utility>

namespace optitree {

namespace {

// The share of the work that may go into rungs: the further the bounds are apart, the less is to be
// expected of the proof for all depths. The most where the time limit is near.
constexpr double kRungsByGap = 2, kMostForRungs = 0.5;
// The share that may go into better trees: in any case, and while they are found. More where no
// proof is to be had: then they are half of what the search is for.
constexpr double kForTrees = 0.1, kMostForTrees = 0.3;
constexpr double kForTreesIfHopeless = 0.2, kMostForTreesIfHopeless = 0.5;
constexpr double kLeastWork = 1e6;  // less is not worth beginning
constexpr double kEagerWork = 1e4;  // each time, in tests
// How much more work a rung is than the one before: about a sixth of the conditions have to be
// followed one level further, and not fewer than so many. How much of the time that is left it may
// be.
constexpr double kNextRung = 15, kFollowed = 1.0 / 6, kMostOfTimeLeft = 0.5;
// It is begun when so much of what it is expected to take is there for it. Until then the proof for
// all depths may come, and it would have been in vain.
constexpr double kToBegin = 0.5;
// No more than so many times what it is expected to take is left: it is now or never.
constexpr double kLate = 4;
// Of the time limit, for the rungs that are solved before anything else.
constexpr double kToBeginWith = 0.25;

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
  if (shared_.options.eager) return kEagerWork;
  const bool late = left() < kLate * expected();
  const double by_gap = kRungsByGap * shared_.relative_gap();
  const double due = (late ? kMostForRungs : std::min(kMostForRungs, by_gap)) * work - climbing_;
  const bool enough = begun_ > 0 || (in_reach(expected()) && due > kToBegin * expected());
  return enough && due > kLeastWork ? due : 0;
}

bool Anytime::out_of_reach() const {
  return rung_ < shared_.problem.restrictions().max_depth && !in_reach(growth() * expected());
}

double Anytime::put_off() const { return begun_ == 0 && in_reach(expected()) ? expected() : 0; }

void Anytime::begin_with(Depth depth) {
  Pace& pace = leader_.pace();
  const double most = kToBeginWith * shared_.watch.time_limit() * 1e9;
  last_rung_ = static_cast<double>(pace.spent());  // the pairs of the root
  if (most < kInfinity) pace.pause_at(pace.spent() + static_cast<std::size_t>(most));
  for (rung_ = 2; rung_ <= depth; ++rung_) {
    const std::size_t begin = pace.spent();
    const Bounds bounds = leader_.solve_root(rung_, kInfinity);
    begun_ = static_cast<double>(pace.spent() - begin);
    if (pace.halted()) break;
    last_rung_ = std::max(last_rung_, std::exchange(begun_, 0));
    shared_.prove_depth(rung_, bounds.lower);
  }
  pace.never_pause();
}

void Anytime::go_on(double work) {
  if (trees_.best().tree() == nullptr) trees_.begin();
  climb(work);
  const double a_little = trees_.spent() + kEagerWork;
  if (shared_.options.eager) trees_.go_on(a_little, a_little);
  else if (out_of_reach()) trees_.go_on(kForTreesIfHopeless * work, kMostForTreesIfHopeless * work);
  else trees_.go_on(kForTrees * work, kMostForTrees * work);
}

// Rung by rung, each as far as trees better than the best known go.
void Anytime::climb(double work) {
  Pace& pace = leader_.pace();
  while (rung_ < shared_.problem.restrictions().max_depth && !pace.halted() &&
         !shared_.root().solved()) {
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
      trees_.read_off();
    }
    climbing_ += static_cast<double>(pace.spent() - begin);
    if (!complete || shared_.options.eager) break;
  }
}

}  // namespace optitree
