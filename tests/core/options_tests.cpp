// Searches with bounds switched off at random, against every tree there is: all losses, weights,
// limits on depth, leaves and their size, one thread or more, stopped or not.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "check.hpp"
#include "costs/pinball/pinball_loss.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

constexpr double kRounding = 2e-9;
constexpr PinballRates kRates[] = {{1, 1}, {0.9, 0.1}, {0.3, 0.7}};

// Rows are bits of a set. Leaves are measured row by row, as in no part of the core.
class EveryTree {
 public:
  EveryTree(const Sample& sample, const PinballRates* rates)
      : sample_(sample), rates_(rates), with_(sample.features) {
    for (std::size_t f = 0; f < sample.features; ++f) {
      for (std::size_t row = 0; row < sample.target.size(); ++row) {
        with_[f] |= std::uint64_t{sample.holds(row, f)} << row;
      }
    }
    root_loss_ = loss(all());
  }

  double root_loss() const { return root_loss_; }
  // The best objective of a tree with so many splits on the way to a leaf.
  double best(Depth depth) {
    const auto most = static_cast<unsigned>(sample_.target.size());
    return best(all(), std::min<unsigned>(depth, most),
                std::min(sample_.restrictions.max_leaves, most));
  }

 private:
  std::uint64_t all() const { return (std::uint64_t{1} << sample_.target.size()) - 1; }

  template <typename Add>
  static void for_each(std::uint64_t rows, Add add) {
    for (; rows != 0; rows &= rows - 1) add(static_cast<std::size_t>(std::countr_zero(rows)));
  }

  double around(std::uint64_t rows, double prediction) const {
    double sum = 0;
    for_each(rows, [&](std::size_t row) {
      const double above = prediction - sample_.target[row];
      const double one = rates_ == nullptr ? above * above
                         : above > 0       ? rates_->over * above
                                           : -rates_->under * above;
      sum += sample_.weight[row] * one;
    });
    return sum;
  }

  double loss(std::uint64_t rows) const {
    double weight = 0, sum = 0, least = 1e300;
    for_each(rows, [&](std::size_t row) {
      weight += sample_.weight[row];
      sum += sample_.weight[row] * sample_.target[row];
      if (rates_ != nullptr) least = std::min(least, around(rows, sample_.target[row]));
    });
    return rates_ != nullptr ? least : around(rows, sum / weight);
  }

  double best(std::uint64_t rows, unsigned depth, unsigned leaves) {
    const auto [known, added] = known_.try_emplace({rows, depth, leaves}, 0);
    if (!added) return known->second;
    double least = loss(rows) / root_loss_ + sample_.restrictions.regularization;
    for (std::size_t f = 0; depth > 0 && leaves > 1 && f < sample_.features; ++f) {
      const std::uint64_t yes = rows & with_[f], no = rows & ~with_[f];
      const double size = std::min(std::popcount(yes), std::popcount(no));
      if (size < std::max(1.0, sample_.restrictions.min_samples_leaf)) continue;
      for (unsigned k = 1; k < leaves; ++k) {
        least = std::min(least, best(yes, depth - 1, k) + best(no, depth - 1, leaves - k));
      }
    }
    return known_[{rows, depth, leaves}] = least;
  }

  const Sample& sample_;
  const PinballRates* rates_;
  std::vector<std::uint64_t> with_;  // the rows with a feature
  double root_loss_ = 0;
  std::map<std::tuple<std::uint64_t, unsigned, unsigned>, double> known_;
};

}  // namespace

void test_random_options() {
  unsigned proofs = 0, stops = 0;
  for (unsigned seed = 0; seed < cases(4000); ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
    Sample sample =
        below(3) == 0 ? noise(seed, 6 + below(9), 2 + below(5)) : random_sample(seed, 15, 7);
    const PinballRates* rates = below(3) == 0 ? &kRates[below(3)] : nullptr;
    if (rates != nullptr) sample.loss = std::make_shared<PinballLoss>(*rates);
    const double lambdas[] = {0, 1e-6, 1e-4, 0.001, 0.01, 0.03, 0.05, 0.1, 0.2, 0.5};
    sample.restrictions = {lambdas[below(10)], kNoDepthLimit,
                           static_cast<double>(below(2) == 0 ? 1 : 1 + below(4))};
    if (below(3) > 0) sample.restrictions.max_depth = static_cast<Depth>(below(7));
    if (below(4) == 0) sample.restrictions.max_leaves = 1 + below(7);
    const unsigned weights = below(3);
    for (double& weight : sample.weight) {
      if (weights < 2) weight = weights == 0 ? 1 : std::exp(0.006 * below(1000));
    }
    EveryTree trees(sample, rates);
    if (trees.root_loss() < 1e-12) continue;  // of one row, say: rounding of its mean
    const double best = trees.best(sample.restrictions.max_depth);
    for (unsigned trial = 0; trial < 4; ++trial) {
      Options options;
      options.eager = below(3) != 0;
      for (const Switch& bound : kBounds) {
        if (trial > 0 && below(trial == 1 ? 3 : 6) == 0) options.*bound.member = false;
      }
      Limits limits;
      if (trial == 3) limits.bytes = 3'000 + below(60'000);
      const Solution found = solve_sample(sample, options, 1 + below(3), limits);
      check(found.objective >= best - kRounding, "no tree is below the best", seed);
      check(found.lower_bound <= best + kRounding, "the lower bound holds", seed);
      const Depth proven = std::min(found.proven_depth, sample.restrictions.max_depth);
      check(found.objective <= trees.best(proven) + kRounding, "as deep as it is proven", seed);
      const bool optimal = found.status == Status::kOptimal;
      check(optimal || trial == 3, "nothing stops it but a limit", seed);
      check(optimal == (found.proven_depth == kNoDepthLimit), "a proof is one for all", seed);
      ++(optimal ? proofs : stops);
    }
  }
  check(proofs > cases(4000) && stops > cases(4000) / 50, "both happen", proofs);
}
