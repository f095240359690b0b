#include "prices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "bounds.hpp"

namespace optitree {

namespace {

// A repaired conjunction is left this share of lambda below its cost: examining again and again
// what is exactly tight would take most of the time.
constexpr double kSlack = 1e-4;
constexpr double kRounding = 1e-15;  // of the sums of a sweep
// The ascent.
constexpr int kSteps = 24;
constexpr double kJitter = 0.1;  // relative size of the first step at most
constexpr double kMomentum = 0.7;
constexpr std::size_t kMostKnownGroups = std::size_t{1} << 20;

}  // namespace

Prices::Prices(const Problem& problem, const Shape& tree, Pace& pace)
    : problem_(problem),
      pace_(pace),
      lambda_(problem.regularization()),
      price_(problem.groups()),
      best_(problem.groups()),
      terms_(problem.groups()),
      places_(2 * problem.groups()),
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
  Level& all = levels_[0];
  const std::size_t groups = problem_.groups(), words = problem_.words();
  all.free.resize(groups);
  std::iota(all.free.begin(), all.free.end(), 0U);
  all.forced.clear();
  all.events.resize(2 * groups);
  std::iota(all.events.begin(), all.events.end(), 0U);
  for (std::uint32_t g = 0; g < groups; ++g) place(g);
  std::ranges::stable_sort(all.events, {}, [&](std::uint32_t event) { return places_[event]; });
  all.open.assign(2 * words, 0);
  all.closed.assign(2 * words, 0);
  for (std::size_t f = 0; f < problem_.features(); ++f) {
    all.open[f / 64] |= std::uint64_t{1} << (f % 64);
    all.open[words + f / 64] |= std::uint64_t{1} << (f % 64);
  }
  all.from = places_[all.events.front()];
  all.to = places_[all.events.back()];
  lower_if_cheaper(all);
  return examine(0);
}

// Where a centre must lie for a group to add to the bound of may_be_cheaper().
void Prices::place(std::uint32_t group) {
  const Cell& cell = problem_.cell(group);
  const double reach = std::sqrt(price_[group] / cell.weight());
  places_[2 * group] = problem_.mean(group) - reach;
  places_[2 * group + 1] = problem_.mean(group) + reach;
  terms_[group] = {price_[group] - cell.square(), cell.sum(), cell.weight()};
}

// Whether groups with these sums cost less as a leaf than their prices.
bool Prices::exceeds(const Term& total) const {
  return (total.excess - lambda_ + kRounding) * total.weight + total.sum * total.sum > 0;
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
    for (const std::uint32_t g : *groups) {
      price_[g] *= factor;
      place(g);
    }
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
  const auto forced = [&](std::uint32_t g) {
    std::uint64_t broken = 0;
    for (std::size_t k = 0; k < words; ++k) {
      const std::uint64_t bits = problem_.bits(g)[k];
      broken |= (level.open[k] & ~bits) | (level.open[words + k] & bits);
    }
    return broken == 0;
  };
  const std::size_t before = level.forced.size();
  level.forced.resize(before + level.free.size());
  std::uint32_t* free = level.free.data();
  std::uint32_t* now_forced = level.forced.data() + before;
  for (const std::uint32_t g : level.free) {
    const bool yes = forced(g);
    *free = *now_forced = g;
    free += !yes;
    now_forced += yes;
  }
  level.free.resize(static_cast<std::size_t>(free - level.free.data()));
  level.forced.resize(static_cast<std::size_t>(now_forced - level.forced.data()));
  if (level.forced.size() == before) return;
  std::uint32_t* end = level.events.data();
  for (const std::uint32_t event : level.events) {
    *end = event;
    end += !forced(event / 2);
  }
  level.events.resize(static_cast<std::size_t>(end - level.events.data()));
}

// Repairs move places a little: what is nearly in order is put in order.
void Prices::sort_events(Level& level) const {
  std::vector<std::uint32_t>& events = level.events;
  for (std::size_t k = 1; k < events.size(); ++k) {
    const std::uint32_t event = events[k];
    const double place = places_[event];
    std::size_t to = k;
    for (; to > 0 && places_[events[to - 1]] > place; --to) events[to] = events[to - 1];
    events[to] = event;
  }
}

// For any centre m a conjunction with the groups T is cheaper than its groups only if
//   sum over T of p_g - w_g (mean_g - m)²  >  lambda   at m = mean of T.
// Free groups count only where they add. The sum as a function of m is found by a sweep: between
// two events it is A + 2 B m - W m², with A, B, W the sums of p - square, sum and weight. Finds the
// centres at which it exceeds lambda; conjunctions with more literals exceed it at no others.
bool Prices::may_be_cheaper(Level& level) const {
  level.forced_total = {0, 0, 0};
  for (const std::uint32_t g : level.forced) terms_[g].add_to(level.forced_total, 1);
  Term total = level.forced_total;
  total.excess += kRounding - lambda_;
  double from = kInfinity, to = -kInfinity, most = 0;
  const auto look = [&](double begin, double end) {
    const double scaled = total.excess * total.weight + total.sum * total.sum;
    if (scaled <= 0) return;
    const double centre = total.sum / total.weight, half = std::sqrt(scaled) / total.weight;
    begin = std::max(begin, centre - half), end = std::min(end, centre + half);
    if (begin > end) return;
    from = std::min(from, begin), to = std::max(to, end);
    const double value = scaled / total.weight;
    if (value > most) most = value, level.centre = std::clamp(centre, begin, end);
  };
  double place = level.from;
  for (const std::uint32_t event : level.events) {
    const double next = places_[event];
    if (next > place) {
      if (next >= level.to) break;
      look(place, next);
      place = next;
    }
    terms_[event / 2].add_to(total, event % 2 == 0 ? 1 : -1);
  }
  look(place, level.to);
  level.from = from;
  level.to = to;
  return from <= to;
}

// The free group that takes most away at the best centre.
std::uint32_t Prices::worst_fit(const Level& level) const {
  std::uint32_t worst = level.free[0];
  double least = kInfinity;
  for (const std::uint32_t g : level.free) {
    const double deviation = problem_.mean(g) - level.centre;
    const double value = price_[g] - terms_[g].weight * deviation * deviation;
    if (value < least) least = value, worst = g;
  }
  return worst;
}

// What can be added at most at any of the centres in question, for all literals at once.
void Prices::screen(const Level& level) {
  const Term& forced = level.forced_total;
  forced_ = level.forced.empty() ? 0 : forced.excess + forced.sum * forced.sum / forced.weight;
  std::ranges::fill(addable_, 0.0);
  addable_in_all_ = 0;
  for (const std::uint32_t g : level.free) {
    const double mean = problem_.mean(g);
    const double off = mean - std::clamp(mean, level.from, level.to);
    const double addable = price_[g] - terms_[g].weight * off * off;
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
  return forced_ + addable > lambda_ - kRounding;
}

// Examines all extensions of the conjunction that leads to a level; `depth` is its length. False if
// there is too much work.
bool Prices::examine(std::size_t depth) {
  Level& level = levels_[depth];
  const std::size_t words = problem_.words();
  if (depth >= problem_.restrictions().max_depth || !narrow(level)) return true;
  while (true) {
    force(level);
    if (level.free.empty()) return true;
    sort_events(level);
    const std::size_t work = 20 + 8 * level.events.size() + 2 * level.forced.size();
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

  next.free.resize(level.free.size());
  std::uint32_t* last = next.free.data();
  for (const std::uint32_t g : level.free) {
    *last = g;
    last += holds(g);
  }
  next.free.resize(static_cast<std::size_t>(last - next.free.data()));
  pace_.spend(level.free.size());
  Term total = level.forced_total;  // repairs since then have only lowered it
  for (const std::uint32_t g : next.free) terms_[g].add_to(total, 1);
  if (total.weight < problem_.least_size()) return true;
  next.forced = level.forced;
  if (exceeds(total)) lower_if_cheaper(next);
  next.open = level.open;
  next.closed = level.closed;
  next.from = level.from;
  next.to = level.to;
  next.events.resize(level.events.size());
  std::uint32_t* end = next.events.data();
  for (const std::uint32_t event : level.events) {
    *end = event;
    const bool adds = places_[event | 1] > level.from && places_[event & ~1U] < level.to;
    end += adds & holds(event / 2);
  }
  next.events.resize(static_cast<std::size_t>(end - next.events.data()));
  return examine(depth + 1);
}

}  // namespace optitree
