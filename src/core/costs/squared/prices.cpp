#include "costs/squared/prices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "costs/leaf_bounds.hpp"

namespace optitree {

namespace {

// A repaired conjunction is left this share of lambda below its cost: examining again and again
// what is exactly tight would take most of the time.
constexpr double kSlack = 1e-4;
// What rounding can do to a sum over all groups, generously.
double rounding_of(const Problem& problem) {
  return 1e-13 * std::max(1.0, static_cast<double>(problem.groups()) / 1000);
}
// The ascent.
constexpr int kSteps = 24;
constexpr double kJitter = 0.1;  // relative size of the first step at most
constexpr double kMomentum = 0.7;
constexpr std::size_t kMostKnownGroups = std::size_t{1} << 20;

inline __attribute__((always_inline)) Lanes clamp(const Lanes& x, const Lanes& from,
                                                  const Lanes& to) {
  const Lanes low = x < from ? from : x;
  return low > to ? to : low;
}

// For four intervals of centres at once: the most that the free groups, each only where it adds,
// and the forced ones bring at a centre there, or more. A group that adds all over the interval is
// counted as it is, by its parabola; of one that adds in a part of it, the most that it adds.
// `best` is where the sum of the parabolas is largest.
OPTITREE_MULTIVERSION
void most_at(const Term* terms, const std::uint32_t* free, const std::uint32_t* end,
             const Term& forced, const Lanes& from, const Lanes& to, Lanes& most, Lanes& best) {
  const Lanes zero{};
  Lanes excess = zero + forced.excess, sum = zero + forced.sum, weight = zero + forced.weight;
  Lanes partly = zero;
  for (; free != end; ++free) {
    const Term& term = terms[*free];
    const Lanes at_from = term.excess + from * (2 * term.sum - from * term.weight);
    const Lanes at_to = term.excess + to * (2 * term.sum - to * term.weight);
    const Lanes peak = clamp(zero + term.mean, from, to);
    const Lanes top = term.excess + peak * (2 * term.sum - peak * term.weight);
    const LaneMask all_over = (at_from > zero) & (at_to > zero);
    excess += all_over ? zero + term.excess : zero;
    sum += all_over ? zero + term.sum : zero;
    weight += all_over ? zero + term.weight : zero;
    partly += (~all_over & (top > zero)) ? top : zero;
  }
  best = clamp(weight > zero ? sum / weight : from, from, to);
  most = excess + best * (2 * sum - best * weight) + partly;
}

}  // namespace

Prices::Prices(const Problem& problem, const Shape& tree, Pace& pace)
    : problem_(problem),
      pace_(pace),
      lambda_(problem.regularization()),
      rounding_(rounding_of(problem)),
      price_(problem.groups()),
      best_(problem.groups()),
      terms_(problem.groups()),
      levels_(problem.features() + 2),
      addable_(problem.features()),
      worth_((problem.features() + 2) * 2 * problem.words()),
      momentum_(problem.groups()),
      raised_(problem.groups()) {
  std::vector<std::uint32_t> members(problem.groups());
  std::iota(members.begin(), members.end(), 0U);
  spread(tree, std::move(members));
}

void Prices::spread(const Shape& tree, std::vector<std::uint32_t> members) {
  if (!tree.is_leaf()) {
    std::vector<std::uint32_t> side[2];
    for (const std::uint32_t g : members) side[problem_.holds(g, tree.literal + 1)].push_back(g);
    for (const int value : {0, 1}) spread(*tree.children[value], std::move(side[value]));
    return;
  }
  Cell total;
  for (const std::uint32_t g : members) total = total + problem_.cell(g);
  for (const std::uint32_t g : members) {
    const double weight = problem_.cell(g).weight();
    const double deviation = problem_.mean(g) - total.sum() / total.weight();
    const double share = lambda_ / total.weight() + deviation * deviation;
    price_[g] = std::min(lambda_, weight * share);
  }
}

bool Prices::improve(double upper, double work) {
  give_up_at_ = static_cast<double>(pace_.spent()) + work;
  if (!known_.empty()) ascend(upper);
  if (!repair_all()) return false;
  const double total = std::accumulate(price_.begin(), price_.end(), 0.0);
  if (total <= total_) return false;
  total_ = total;
  best_ = price_;
  return true;
}

// With prices p at a and q at b, the mean of p and q that belongs to r between a and b holds at r:
// on both sides of "prices <= lambda + loss" it is the same mean. Prices at a hold at every r > a;
// those at b hold at r < b after multiplication with r / b, which is the same with a = 0 and p = 0.
void Prices::change_regularization() {
  const double before = lambda_;
  lambda_ = problem_.regularization();
  for (Known& known : known_) known.cost += (1 - kSlack) * (lambda_ - before);
  const auto place = std::ranges::lower_bound(earlier_, before, {}, &Earlier::lambda);
  if (place != earlier_.end() && place->lambda == before) *place = {before, best_, total_};
  else earlier_.insert(place, {before, best_, total_});
  const auto right = std::ranges::lower_bound(earlier_, lambda_, {}, &Earlier::lambda);
  const Earlier none{0, std::vector<double>(best_.size()), 0};
  const Earlier& left = right == earlier_.begin() ? none : *(right - 1);
  const double share =
      right == earlier_.end() ? 0 : (lambda_ - left.lambda) / (right->lambda - left.lambda);
  for (std::size_t g = 0; g < best_.size(); ++g) {
    best_[g] = (1 - share) * left.price[g] + (share > 0 ? share * right->price[g] : 0);
  }
  price_ = best_;
  total_ = std::accumulate(best_.begin(), best_.end(), 0.0);
}

double Prices::random() {
  state_ = state_ * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>(state_ >> 33) * 0x1p-31;
}

// Random steps with momentum, each followed by a repair of the conjunctions known so far. No prices
// can sum up to more than a tree costs: beyond that the known conjunctions say nothing any more.
void Prices::ascend(double upper) {
  if (total_ > 0) price_ = best_;
  std::ranges::fill(momentum_, 0.0);
  for (Known& known : known_) known.useful = false;
  double highest = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double jitter = kJitter * (1 - static_cast<double>(step) / kSteps);
    for (std::size_t g = 0; g < price_.size(); ++g) {
      const double raised = price_[g] * (1 + jitter * random()) + kMomentum * momentum_[g];
      raised_[g] = std::clamp(raised, 0.0, lambda_);
    }
    for (Known& known : known_) {
      double sum = 0;
      for (std::size_t k = known.begin; k < known.end; ++k) sum += raised_[known_groups_[k]];
      if (sum <= known.cost) continue;
      known.useful = true;
      const double factor = known.cost / sum;
      for (std::size_t k = known.begin; k < known.end; ++k) raised_[known_groups_[k]] *= factor;
    }
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
  if (known_groups_.size() > kMostKnownGroups) forget_useless();
  pace_.spend(kSteps * (known_groups_.size() + 5 * price_.size()));
}

// Forgets the conjunctions that did not matter in the last ascent.
void Prices::forget_useless() {
  std::size_t end = 0;
  for (Known& known : known_) {
    if (!known.useful) continue;
    const std::size_t begin = end;
    for (std::size_t k = known.begin; k < known.end; ++k) known_groups_[end++] = known_groups_[k];
    known.begin = begin;
    known.end = end;
  }
  known_groups_.resize(end);
  std::erase_if(known_, [](const Known& known) { return !known.useful; });
}

// Makes the prices hold for every conjunction, or gives up.
bool Prices::repair_all() {
  const auto groups = static_cast<std::uint32_t>(problem_.groups());
  const std::size_t words = problem_.words();
  for (std::uint32_t g = 0; g < groups; ++g) set_price(g, price_[g]);
  Level& all = levels_[0];
  std::uint32_t* free = all.free.room_for(groups);
  std::iota(free, free + groups, 0U);
  all.free.ends_at(free + groups);
  all.forced.ends_at(all.forced.begin());
  all.open.assign(2 * words, 0);
  all.closed.assign(2 * words, 0);
  for (std::size_t f = 0; f < problem_.features(); ++f) {
    all.open[f / 64] |= std::uint64_t{1} << (f % 64);
    all.open[words + f / 64] |= std::uint64_t{1} << (f % 64);
  }
  all.from = problem_.mean(0);
  all.to = problem_.mean(groups - 1);
  lower_if_cheaper(all);
  return examine(0);
}

void Prices::set_price(std::uint32_t group, double price) {
  const Cell& cell = problem_.cell(group);
  price_[group] = price;
  terms_[group] = {price - cell.square(), cell.sum(), cell.weight(), problem_.mean(group)};
}

// Whether groups with these sums cost less as a leaf than their prices.
bool Prices::exceeds(const Term& total) const {
  return (total.excess - lambda_ + rounding_) * total.weight + total.sum * total.sum > 0;
}

// The conjunction that leads to a level.
void Prices::lower_if_cheaper(const Level& level) {
  Cell total;
  double price = 0;
  for (const auto* groups : {&level.free, &level.forced}) {
    for (const std::uint32_t g : *groups) {
      total = total + problem_.cell(g);
      price += price_[g];
    }
  }
  const double cost = leaf_cost(total, lambda_);
  if (price <= cost || !problem_.can_be_leaf(total)) return;
  Known known{cost - kSlack * lambda_, known_groups_.size(), 0, true};
  const double factor = known.cost / price;
  for (const auto* groups : {&level.free, &level.forced}) {
    for (const std::uint32_t g : *groups) set_price(g, price_[g] * factor);
    known_groups_.insert(known_groups_.end(), groups->begin(), groups->end());
  }
  known.end = known_groups_.size();
  known_.push_back(known);
}

// Literals that no group or every group of the level satisfies extend nothing. False if every
// group satisfies a literal that was examined before: so was this conjunction.
bool Prices::narrow(Level& level) const {
  const std::size_t words = problem_.words();
  for (std::size_t k = 0; k < words; ++k) {
    std::uint64_t any = 0, all = ~std::uint64_t{0};
    for (const auto* groups : {&level.free, &level.forced}) {
      for (const std::uint32_t g : *groups) {
        any |= problem_.bits(g)[k];
        all &= problem_.bits(g)[k];
      }
    }
    if ((all & level.closed[k]) | (~any & level.closed[words + k])) return false;
    level.open[k] &= any & ~all;
    level.open[words + k] &= any & ~all;
  }
  return true;
}

// Groups that satisfy every open literal are part of every conjunction below.
void Prices::force(Level& level) const {
  const std::size_t words = problem_.words();
  std::uint32_t* forced =
      level.forced.room_for(level.forced.size() + level.free.size()) + level.forced.size();
  std::uint32_t* free = level.free.begin();
  for (const std::uint32_t g : level.free) {
    std::uint64_t broken = 0;
    for (std::size_t k = 0; k < words; ++k) {
      const std::uint64_t bits = problem_.bits(g)[k];
      broken |= (level.open[k] & ~bits) | (level.open[words + k] & bits);
    }
    *free = *forced = g;
    free += broken != 0;
    forced += broken == 0;
  }
  level.free.ends_at(free);
  level.forced.ends_at(forced);
}

// For any centre m a conjunction with the groups T is cheaper than its groups only if
//   sum over T of p_g - w_g (mean_g - m)²  >  lambda   at m = mean of T.
// Free groups count only where they add. Finds the centres at which the sum may exceed lambda;
// conjunctions with more literals exceed it at no others.
bool Prices::may_be_cheaper(Level& level) const {
  level.forced_total = {};
  for (const std::uint32_t g : level.forced) level.forced_total = level.forced_total + terms_[g];
  for (bool narrower = true; narrower;) {
    Lanes most, best;
    const Lanes step = Lanes{0, 1, 2, 3} * ((level.to - level.from) / 4);
    const Lanes from = level.from + step;
    Lanes to = __builtin_shufflevector(from, from, 1, 2, 3, 3);
    to[3] = level.to;
    most_at(terms_.data(), level.free.begin(), level.free.end(), level.forced_total, from, to, most,
            best);
    int first = 4, last = -1, top = 0;
    for (int k = 0; k < 4; ++k) {
      if (!(most[k] > lambda_ - rounding_)) continue;
      first = std::min(first, k);
      last = k;
      if (most[k] > most[top]) top = k;
    }
    if (last < 0) return false;
    level.centre = best[top];
    level.to = to[last];
    level.from = from[first];
    narrower = last - first < 2 && level.from < level.to;
  }
  return true;
}

// The free group that takes most away at the best centre.
std::uint32_t Prices::worst_fit(const Level& level) const {
  std::uint32_t worst = *level.free.begin();
  double least = kInfinity;
  for (const std::uint32_t g : level.free) {
    const Term& term = terms_[g];
    const double value = term.excess + level.centre * (2 * term.sum - level.centre * term.weight);
    if (value < least) least = value, worst = g;
  }
  return worst;
}

// What can be added at most at any of the centres in question, for all literals at once.
void Prices::screen(const Level& level) {
  const Term& forced = level.forced_total;
  forced_ = level.forced.size() == 0 ? 0 : forced.excess + forced.sum * forced.sum / forced.weight;
  std::ranges::fill(addable_, 0.0);
  addable_in_all_ = 0;
  for (const std::uint32_t g : level.free) {
    const Term& term = terms_[g];
    const double peak = std::clamp(term.mean, level.from, level.to);
    const double addable = term.excess + peak * (2 * term.sum - peak * term.weight);
    if (addable <= 0) continue;
    addable_in_all_ += addable;
    const std::uint32_t* one = problem_.ones() + problem_.ones_begin()[g];
    const std::uint32_t* end = problem_.ones() + problem_.ones_begin()[g + 1];
    for (; one != end; ++one) addable_[*one] += addable;
  }
}

bool Prices::worth_adding(std::size_t word, std::uint64_t bit) const {
  const std::size_t feature = word % problem_.words() * 64 + std::countr_zero(bit);
  const double with = addable_[feature];
  const double addable = word < problem_.words() ? with : addable_in_all_ - with;
  return forced_ + addable > lambda_ - rounding_;
}

// Examines all extensions of the conjunction that leads to a level; `depth` is its length. False if
// there is too much work.
bool Prices::examine(std::size_t depth) {
  Level& level = levels_[depth];
  const std::size_t words = problem_.words();
  if (!narrow(level)) return true;
  while (true) {
    force(level);
    if (level.free.size() == 0) return true;
    const std::size_t work = 50 + 10 * level.free.size() + 2 * level.forced.size();
    if (!pace_.spend(work) || static_cast<double>(pace_.spent()) > give_up_at_) return false;
    if (!may_be_cheaper(level)) return true;
    // Either the group that fits worst is left out by one of the literals that it violates, or
    // none of these is used and it is in.
    const std::uint64_t* bits = problem_.bits(worst_fit(level));
    screen(level);
    std::uint64_t* worth = worth_.data() + depth * 2 * words;
    for (std::size_t k = 0; k < 2 * words; ++k) {
      const std::uint64_t violated = level.open[k] & ~(k < words ? bits[k] : ~bits[k - words]);
      worth[k] = 0;
      for (std::uint64_t rest = violated; rest != 0; rest &= rest - 1) {
        const std::uint64_t bit = rest & -rest;
        if (worth_adding(k, bit)) worth[k] |= bit;
      }
      level.open[k] ^= violated & ~worth[k];
      level.closed[k] |= violated & ~worth[k];
    }
    for (std::size_t k = 0; k < 2 * words; ++k) {
      for (std::uint64_t rest = worth[k]; rest != 0; rest &= rest - 1) {
        const std::uint64_t bit = rest & -rest;
        level.open[k] ^= bit;
        if (!extend(depth, k, bit)) return false;
        level.closed[k] |= bit;
      }
    }
  }
}

// Adds a literal to the conjunction that leads to a level, and examines the result.
bool Prices::extend(std::size_t depth, std::size_t word, std::uint64_t bit) {
  const Level& level = levels_[depth];
  Level& next = levels_[depth + 1];
  const std::size_t words = problem_.words();
  const std::uint64_t flip = word < words ? 0 : ~std::uint64_t{0};
  const std::size_t at = word % words;
  const auto holds = [&](std::uint32_t g) { return ((problem_.bits(g)[at] ^ flip) & bit) != 0; };

  std::uint32_t* free = next.free.room_for(level.free.size());
  Term total = level.forced_total;  // repairs since then have only lowered it
  for (const std::uint32_t g : level.free) {
    *free = g;
    free += holds(g);
  }
  next.free.ends_at(free);
  for (const std::uint32_t g : next.free) total = total + terms_[g];
  pace_.spend(level.free.size());
  if (total.weight < problem_.least_size()) return true;
  std::uint32_t* forced = next.forced.room_for(level.forced.size());
  next.forced.ends_at(std::ranges::copy(level.forced, forced).out);
  if (exceeds(total)) lower_if_cheaper(next);
  next.open = level.open;
  next.closed = level.closed;
  next.from = level.from;
  next.to = level.to;
  return examine(depth + 1);
}

}  // namespace optitree
