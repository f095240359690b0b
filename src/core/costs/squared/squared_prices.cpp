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
// The share of a tree's cost to begin with: after a pass that was completed, after one that was not
// while none was, and at least.
constexpr double kNextShare = 1.25, kLowerShare = 0.95, kFirstStep = 1.1, kLeastStep = 1.03;
constexpr std::size_t kMostKnownGroups = std::size_t{1} << 20;

}  // namespace

SquaredPrices::SquaredPrices(const Problem& problem, const Implications& implications,
                             const Shape& tree, Pace& pace)
    : problem_(problem),
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

bool SquaredPrices::improve(double upper, double work) {
  const double pause_at = static_cast<double>(pace_.spent()) + work;
  if (!under_way_) begin_pass(upper);
  if (!repair_.go_on(pause_at)) return false;
  under_way_ = false;
  completed_ = share_;
  share_ = std::min(1.0, kNextShare * share_);
  const double total = std::accumulate(price_.begin(), price_.end(), 0.0);
  if (total <= total_) return false;
  total_ = total;
  best_ = price_;
  return true;
}

// What a pass takes grows manifold with the share. So the first that is completed is to ask for
// little more than is known, and from there it goes up step by step.
void SquaredPrices::give_up(double known) {
  under_way_ = false;
  if (of_leaf_.empty()) {
    share_ /= 2;
  } else if (completed_ > 0) {
    share_ = std::max(kLeastStep * completed_, std::sqrt(completed_ * share_));
  } else {
    while (share_of_tree(share_) > kFirstStep * known) share_ *= kLowerShare;
  }
}

// Where all of the tree's cost can be asked for, prices climb from the best ones. Where it cannot,
// what is asked for is far from tight for most conjunctions, and a share of the tree's costs will
// do. At another regularization than that of the tree they climb a share of the way.
void SquaredPrices::begin_pass(double upper) {
  const bool climb = of_leaf_.empty() || (share_ == 1 && !known_.empty());
  if (climb) ascend(total_ + share_ * (upper - total_));
  else share_of_tree(share_);
  if (!climb && share_ < 1) known_.repair(price_);
  repair_.begin(price_);
  under_way_ = true;
}

// Sets prices to that share of the loss of the tree, and to a larger one of what its leaves cost
// beside it, which is held more easily. Returns their sum.
double SquaredPrices::share_of_tree(double share) {
  const double of_leaves = std::cbrt(share);
  double total = 0;
  for (std::size_t g = 0; g < price_.size(); ++g) {
    price_[g] = std::min(lambda_, of_leaves * of_leaf_[g] + share * of_loss_[g]);
    total += price_[g];
  }
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
