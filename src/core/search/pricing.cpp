#include "search/pricing.hpp"

#include <algorithm>

namespace optitree {

namespace {

// The work of a pass for each group and pair of features, about.
constexpr double kPass = 60;
// No search begins with more than this share of its time limit.
constexpr double kMostOfTimeLimit = 0.03;
// What the first pass may take at most, times what is expected.
constexpr double kMostOfFirst = 2;
// Searches of little depth are over too soon.
constexpr Depth kShallow = 5;
constexpr double kPassesBefore = 0.02, kPassesBeforeIfShallow = 4;
// What prices may take beside the work of the search: while passes end in time, and where not.
constexpr double kShare = 10, kShareAgain = 40;
constexpr double kShareIfHard = 0.25, kShareIfShallow = 0.15;
// Without a limit on the depth, where the search alone comes to no end: the more, the further the
// bounds are apart.
constexpr double kShareIfEndless = 1, kShareForDistance = 2;
// Where the search is hopeless it gets a tenth, as long as prices rise.
constexpr double kShareIfHopeless = 9;
// And at once, of the work done so far.
constexpr double kMostAtOnce = 0.3;
// Of the time that is left and theirs, what a pass may be expected to take.
constexpr double kMostOfTimeLeft = 0.7;
// Prices are improved again if the last time closed enough of the distance to the best tree known:
// the share kLittle of it while pricing has taken less than kLittleWork of the work of the search,
// the share kMuch from then on. In a search of kLongSearch and more they may go on beside it as
// long as they rise at all.
constexpr double kLittleWork = 1.5, kLittle = 0.1, kMuch = 0.4;
constexpr double kLongSearch = 3e8;
// Where six splits are allowed and no more, prices pay where they come close to the best tree at
// once: if the first pass closes this share of the distance, and each of the others that one. If
// not they get no more than the share of time that they have where passes do not end in time.
constexpr Depth kHardlyDeep = 6;
constexpr double kFirstCloses = 0.8, kOthersClose = 0.3;
// A pass that brought nothing is not the last, but the search goes on for so many times as long
// before the next.
constexpr double kRest = 2;

double work_of_pass(const Problem& problem, const Watch& watch) {
  const auto features = static_cast<double>(problem.features());
  const double pass = kPass * static_cast<double>(problem.groups()) * features * features;
  return std::min(pass, kMostOfTimeLimit * watch.time_limit() * 1e9);
}

}  // namespace

Pricing::Pricing(Shared& shared, Pace& pace)
    : shared_(shared), pace_(pace), expected_(work_of_pass(shared.problem, shared.watch)) {}

bool Pricing::possible() const {
  return shared_.options.prices && shared_.problem.has_prices() &&
         shared_.problem.regularization() > 0;
}

double Pricing::patience() const {
  if (shared_.options.eager) return 0;
  const bool shallow = shared_.problem.restrictions().max_depth <= kShallow;
  return expected_ * (shallow ? kPassesBeforeIfShallow : kPassesBefore);
}

void Pricing::begin_run() {
  spent_ = last_ = rest_until_ = 0;
  disappointing_ = false;
}

void Pricing::change_regularization() {
  again_ = true;
  if (!prices_) return;
  prices_->change_regularization();
  apply();
}

void Pricing::begin(const Shape& tree) {
  prices_ = shared_.loss.prices(shared_.problem, shared_.implications, tree, pace_);
}

void Pricing::suggest(const std::shared_ptr<const Shape>& tree) {
  if (!hard_ || again_ || tree == tree_ || tree == nullptr || prices_->under_way()) return;
  tree_ = tree;
  prices_->start_from(*tree);
}

void Pricing::apply() {
  shared_.problem.set_prices(prices_->best());
  shared_.report({}, prices_->total());
}

// What prices may take beside the work of the search.
double Pricing::share(const Outlook& outlook) const {
  const Depth depth = shared_.problem.restrictions().max_depth;
  if (!hard_ && !disappointing_) return again_ ? kShareAgain : kShare;
  if (depth <= kShallow) return kShareIfShallow;
  if (depth != kNoDepthLimit) return kShareIfHard;
  if (outlook.hopeless && prices_->climbing()) return kShareIfHopeless;
  return kShareIfEndless + kShareForDistance * shared_.relative_gap();
}

double Pricing::allowance(const Outlook& outlook) const {
  if (shared_.options.eager) return kInfinity;
  const bool first = prices_->total() == 0;
  if (hard_) return std::max(first ? expected_ : 0, share(outlook) * outlook.searched);
  if (first) return std::clamp(outlook.alone, expected_, most_of_first());
  return share(outlook) * (disappointing_ ? outlook.searched : outlook.alone);
}

// What the first pass may take before it has to ask for less: beyond what is expected only as long
// as the search has taken as much.
double Pricing::most_of_first() const {
  const bool shallow = shared_.problem.restrictions().max_depth <= kShallow;
  return (shallow ? 1 : kMostOfFirst) * expected_;
}

// The work of prices until the time limit, by what a second has been so far.
double Pricing::room(const Outlook& outlook) const {
  const Watch& watch = shared_.watch;
  const double rate = static_cast<double>(pace_.spent()) / watch.seconds();
  const double left = std::max(watch.seconds_left() * rate - outlook.put_off, 0.0);
  return kMostOfTimeLeft * left * share(outlook) / (1 + share(outlook));
}

// Whether a pass has closed so little that the search will hardly need better prices.
bool Pricing::disappointing(double before) const {
  if (again_ || hard_ || shared_.problem.restrictions().max_depth > kHardlyDeep) return false;
  const double distance = std::max(shared_.root().upper - before, 0.0);
  const double enough = before == 0 ? kFirstCloses : kOthersClose;
  return prices_->total() - before < enough * distance;
}

bool Pricing::worth_more(double before, const Outlook& outlook) const {
  const double distance = std::max(shared_.root().upper - before, 0.0);
  const double closed = prices_->total() - before;
  const double enough = spent_ < kLittleWork * outlook.alone ? kLittle : kMuch;
  // In a long search they go on beside it, as where passes are hard.
  const bool endless = shared_.problem.restrictions().max_depth == kNoDepthLimit;
  const double beside = (endless ? kShareIfEndless : kShareIfHard) * outlook.searched;
  if (outlook.searched > kLongSearch && spent_ < beside) return closed > 0;
  return closed > enough * distance;
}

// It is there already: over the limit the search ends.
void Pricing::count_memory() {
  const std::size_t now = prices_->bytes();
  if (now < counted_) shared_.watch.give_back(counted_ - now);
  else if (!shared_.watch.take(now - counted_)) return;
  counted_ = now;
}

bool Pricing::improve(const Outlook& outlook) {
  bool better = false;
  interrupted_ = false;
  if (outlook.searched < rest_until_) return false;
  const double until = spent_ + kMostAtOnce * static_cast<double>(pace_.spent());
  while (!pace_.halted()) {
    const double allowed = allowance(outlook);
    const double left = (hard_ ? std::min(allowed, until) : allowed) - spent_;
    interrupted_ = hard_ && left <= 0 && spent_ < allowed && allowed < kInfinity;
    if (left <= (hard_ || prices_->under_way() ? 0 : last_)) break;
    if (!prices_->under_way()) last_ = 0;
    const double before = prices_->total();
    const std::size_t start = pace_.spent();
    if (prices_->improve({shared_.root().upper, left, room(outlook)})) {
      shared_.report({}, prices_->total());  // it holds whether or not they come into force
      better = true;
    }
    const auto took = static_cast<double>(pace_.spent() - start);
    if (took == 0) break;  // nothing is to be had in time
    spent_ += took;
    count_memory();
    last_ += took;
    if (!prices_->under_way()) {
      if (prices_->total() <= before) rest_until_ = kRest * outlook.searched;
      disappointing_ |= disappointing(before);
      if (!hard_ && !worth_more(before, outlook)) break;
    } else if (!hard_ && before == 0 && spent_ >= most_of_first() && !pace_.halted()) {
      prices_->ask_less(shared_.root().lower);
      hard_ = true;
    }  // else it goes on when the search has had more
  }
  return better;
}

}  // namespace optitree
