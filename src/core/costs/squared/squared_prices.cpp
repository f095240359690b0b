#include "costs/squared/squared_prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace optitree {

namespace {

// The ascent.
constexpr int kSteps = 24;
constexpr double kJitter = 0.1;  // relative size of the first step at most
constexpr double kMomentum = 0.7;
// The share of a tree's cost that a pass asks for: the largest and the least step from one pass to
// the next, and what the first that can be completed asks for, by what is known already.
constexpr double kLargestStep = 1.25, kLeastStep = 1.03, kFirstStep = 1.1, kLowerShare = 0.95;
// What is believed of the power of the share with which the work of a pass grows.
constexpr double kLeastGrowth = 2, kMostGrowth = 15;
// A pass that takes so many times as long as expected asks for less; one that is expected to take
// so many times the room there is is not begun.
constexpr double kPatience = 2, kMostOfRoom = 1.4;
constexpr std::size_t kMostKnownGroups = std::size_t{1} << 20;

}  // namespace

SquaredPrices::SquaredPrices(const Problem& problem, const Implications& implications,
                             const Shape& tree, Pace& pace)
    : problem_(problem),
      implications_(implications),
      pace_(pace),
      lambda_(problem.regularization()),
      of_leaf_(problem.groups()),
      of_loss_(problem.groups()),
      price_(problem.groups()),
      best_(problem.groups()),
      repair_(problem, implications, pace, known_),
      momentum_(problem.groups()),
      raised_(problem.groups()) {
  start_from(tree);
}

void SquaredPrices::start_from(const Shape& tree) {
  std::vector<std::uint32_t> members(problem_.groups());
  std::iota(members.begin(), members.end(), 0U);
  spread(tree, std::move(members));
}

void SquaredPrices::spread(const Shape& tree, std::vector<std::uint32_t> members) {
  if (!tree.is_leaf()) {
    auto side = problem_.sides_of(members, tree.literal >> 1);
    for (const std::size_t value : {0, 1}) spread(*tree.children[value], std::move(side[value]));
    return;
  }
  Cell total;
  for (const std::uint32_t g : members) total = total + problem_.cell(g);
  for (const std::uint32_t g : members) {
    const double weight = problem_.cell(g).weight();
    const double deviation = problem_.mean(g) - total.sum() / total.weight();
    of_leaf_[g] = weight / total.weight() * lambda_;
    of_loss_[g] = weight * deviation * deviation;
  }
}

bool SquaredPrices::improve(const Request& request) {
  const double pause_at = static_cast<double>(pace_.spent()) + request.work;
  if (!under_way_ && !begin_pass(request)) return false;
  if (!go_on(pause_at)) return false;
  complete_pass();
  const double total = std::accumulate(price_.begin(), price_.end(), 0.0);
  if (total <= total_) return false;
  total_ = total;
  best_ = price_;
  return true;
}

// Whether the pass under way is complete. Where it takes longer than expected it asks for less:
// what has been examined holds for lower prices, too.
bool SquaredPrices::go_on(double pause_at) {
  while (true) {
    const auto begin = static_cast<double>(pace_.spent());
    const bool complete = repair_.go_on(std::min(pause_at, begin + kPatience * expected_ - work_));
    work_ += static_cast<double>(pace_.spent()) - begin;
    if (complete) return true;
    if (pace_.halted() || static_cast<double>(pace_.spent()) >= pause_at) return false;
    ask_less(total_);
    expected_ = work_;
  }
}

void SquaredPrices::complete_pass() {
  under_way_ = false;
  if (completed_ > 0 && share_ > completed_ && work_ > last_work_) {
    const double power = std::log(work_ / last_work_) / std::log(share_ / completed_);
    growth_ = (growth_ + std::clamp(power, kLeastGrowth, kMostGrowth)) / 2;
  }
  completed_ = share_;
  last_work_ = work_;
}

// A pass can be left in the middle and go on with less: to nothing that was examined lower prices
// do harm.
void SquaredPrices::ask_less(double known) {
  if (of_leaf_.empty()) {
    share_ /= 2;
    under_way_ = false;
    return;
  }
  const double before = share_;
  if (completed_ > 0) {
    share_ = std::min(share_, std::max(kLeastStep * completed_, std::sqrt(completed_ * share_)));
  } else {
    while (share_of_tree(share_) > kFirstStep * known) share_ *= kLowerShare;
  }
  if (share_ == before) return;
  for (std::uint32_t g = 0; g < price_.size(); ++g) repair_.lower(g, cost_share(g, share_));
}

// As much as can be completed in the room there is, as far as the last passes tell.
void SquaredPrices::choose_share(double room) {
  expected_ = kInfinity;
  if (of_leaf_.empty() && completed_ > 0) share_ = std::min(1.0, kLargestStep * completed_);
  if (of_leaf_.empty() || completed_ == 0 || completed_ == 1) return;
  const double step = std::pow(room / last_work_, 1 / growth_);
  share_ = std::min(1.0, completed_ * std::clamp(step, kLeastStep, kLargestStep));
  expected_ = last_work_ * std::pow(share_ / completed_, growth_);
}

// Where all of the tree's cost can be asked for, prices climb from the best ones. Where it cannot,
// what is asked for is far from tight for most conjunctions, and a share of the tree's costs will
// do. At another regularization than that of the tree they climb a share of the way.
bool SquaredPrices::begin_pass(const Request& request) {
  choose_share(request.room);
  if (expected_ < kInfinity && expected_ > kMostOfRoom * request.room) return false;
  const bool climb = of_leaf_.empty() || (share_ == 1 && !known_.empty());
  if (climb) {
    expected_ = kInfinity;
    ascend(total_ + share_ * (request.upper - total_));
  } else {
    for (std::size_t g = 0; g < price_.size(); ++g) price_[g] = cost_share(g, share_);
  }
  if (!climb && share_ < 1) known_.repair(price_);
  repair_.begin(price_);
  under_way_ = true;
  work_ = 0;
  return true;
}

// That share of the loss of the tree, and a larger one of what its leaves cost beside it, which is
// held more easily.
double SquaredPrices::cost_share(std::size_t group, double share) const {
  return std::min(lambda_, std::cbrt(share) * of_leaf_[group] + share * of_loss_[group]);
}

double SquaredPrices::share_of_tree(double share) const {
  double total = 0;
  for (std::size_t g = 0; g < price_.size(); ++g) total += cost_share(g, share);
  return total;
}

// With prices p at a and q at b, the mean of p and q that belongs to r between a and b holds at r:
// on both sides of "prices <= lambda + loss" it is the same mean. Prices at a hold at every r > a;
// those at b hold at r < b after multiplication with r / b, which is the same with a = 0 and p = 0.
void SquaredPrices::change_regularization() {
  const double before = lambda_;
  lambda_ = problem_.regularization();
  known_.change_regularization(before, lambda_);
  under_way_ = false;
  of_leaf_.clear();
  share_ = 1;
  completed_ = 0;
  const auto place = std::ranges::lower_bound(held_, before, {}, &Held::lambda);
  if (place != held_.end() && place->lambda == before) *place = {before, best_, total_};
  else held_.insert(place, {before, best_, total_});
  const auto right = std::ranges::lower_bound(held_, lambda_, {}, &Held::lambda);
  const Held none{0, std::vector<double>(best_.size()), 0};
  const Held& left = right == held_.begin() ? none : *(right - 1);
  const double share =
      right == held_.end() ? 0 : (lambda_ - left.lambda) / (right->lambda - left.lambda);
  for (std::size_t g = 0; g < best_.size(); ++g) {
    best_[g] = (1 - share) * left.price[g] + (share > 0 ? share * right->price[g] : 0);
  }
  price_ = best_;
  total_ = std::accumulate(best_.begin(), best_.end(), 0.0);
}

bool SquaredPrices::hold(std::vector<double>& price,
                         std::vector<std::vector<std::uint32_t>>& cheap) {
  const std::vector<double> asked = price;
  KnownConjunctions known;
  PriceRepair repair(problem_, implications_, pace_, known);
  repair.begin(price);
  const bool complete = repair.go_on(kInfinity);
  known.visit([&](double cost, Members groups) {
    double sum = 0;
    for (const std::uint32_t g : groups) sum += asked[g];
    if (sum > cost) cheap.emplace_back(groups.begin(), groups.end());
  });
  return complete;
}

std::size_t SquaredPrices::bytes() const {
  constexpr std::size_t kArrays = 8;  // of a number for each group
  return (kArrays + held_.size()) * price_.size() * sizeof(double) + known_.bytes() +
         repair_.bytes();
}

double SquaredPrices::random() {
  state_ = state_ * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>(state_ >> 33) * 0x1p-31;
}

// Random steps with momentum, each followed by a repair of the conjunctions known so far. No prices
// can sum up to more than a tree costs: beyond that the known conjunctions say nothing any more.
void SquaredPrices::ascend(double upper) {
  if (total_ > 0) price_ = best_;
  std::ranges::fill(momentum_, 0.0);
  known_.begin_ascent();
  double highest = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double jitter = kJitter * (1 - static_cast<double>(step) / kSteps);
    for (std::size_t g = 0; g < price_.size(); ++g) {
      const double raised = price_[g] * (1 + jitter * random()) + kMomentum * momentum_[g];
      raised_[g] = std::clamp(raised, 0.0, lambda_);
    }
    known_.repair(raised_);
    double total = 0;
    for (std::size_t g = 0; g < price_.size(); ++g) {
      momentum_[g] = raised_[g] - price_[g];
      price_[g] = raised_[g];
      total += price_[g];
    }
    if (total > highest) highest = total, highest_ = price_;
    if (total > upper) break;
  }
  price_ = highest_;
  if (known_.size() > kMostKnownGroups) known_.forget_useless();
  pace_.spend(kSteps * (known_.size() + 5 * price_.size()));
}

}  // namespace optitree
