// How the conjunctions are gone through (theory, section 8). A set of them is known by what leads
// to it: the groups that some of them leave out (free), those that all have (forced), the literals
// that may still be added (open) and those whose conjunctions are done with (closed).
//
//   examine   the conjunction has been looked at, now its extensions:
//     narrow            literals that nothing or everything satisfies are no extensions
//     force             free groups that satisfy every open literal are in all of them
//     may_be_cheaper    a bound on what they all are worth, by the centre of the leaf; mostly the
//     end choose_literals   the worst fitting free group is left out by one of the literals that it
//                       violates, or none of these is used; those that cannot pay are closed
//     extend            by each of the others: look at that conjunction, examine its extensions
//                       and again, with these literals closed, until nothing is open
#include "costs/squared/price_repair.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "common/lanes.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/squared/leaf_cost.hpp"

namespace optitree {

namespace {

// What rounding can do to a sum over all groups, generously.
double rounding_of(const Problem& problem) {
  return 1e-13 * std::max(1.0, static_cast<double>(problem.groups()) / 1000);
}

struct Centres {
  Lanes from, to;
  Lanes most, best;  // to be found
};

// For four intervals of centres at once: the most that the free groups, each only where it adds,
// and the forced ones bring at a centre there, or more. A group that adds all over the interval is
// counted as it is, by its parabola; of one that adds in a part of it, the most that it adds.
// `best` is where the sum of the parabolas is largest.
OPTITREE_MULTIVERSION
void most_at(const Term* terms, Members free, const Term& forced, Centres& centres) {
  const Lanes from = centres.from, to = centres.to;
  const Lanes zero{};
  Lanes excess = zero + forced.excess, sum = zero + forced.sum, weight = zero + forced.weight;
  Lanes partly = zero;
  for (const std::uint32_t g : free) {
    const Term& term = terms[g];
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
  const Lanes best = clamp(weight > zero ? sum / weight : from, from, to);
  centres.best = best;
  centres.most = excess + best * (2 * sum - best * weight) + partly;
}

}  // namespace

PriceRepair::PriceRepair(const Problem& problem, Pace& pace, KnownConjunctions& known)
    : problem_(problem),
      pace_(pace),
      known_(known),
      rounding_(rounding_of(problem)),
      terms_(problem.groups()),
      examined_(problem.features() + 2),
      addable_(problem.features()),
      worth_((problem.features() + 2) * 2 * problem.words()) {}

bool PriceRepair::repair(std::vector<double>& price, double give_up_at) {
  price_ = &price;
  lambda_ = problem_.regularization();
  give_up_at_ = give_up_at;
  const auto groups = static_cast<std::uint32_t>(problem_.groups());
  const std::size_t words = problem_.words();
  for (std::uint32_t g = 0; g < groups; ++g) set_price(g, price[g]);
  Examined& all = examined_[0];
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

void PriceRepair::set_price(std::uint32_t group, double price) {
  const Cell& cell = problem_.cell(group);
  (*price_)[group] = price;
  terms_[group] = {price - cell.square(), cell.sum(), cell.weight(), problem_.mean(group)};
}

// Whether groups with these sums cost less as a leaf than their prices.
bool PriceRepair::exceeds(const Term& total) const {
  return (total.excess - lambda_ + rounding_) * total.weight + total.sum * total.sum > 0;
}

// The conjunction itself, without further literals.
void PriceRepair::lower_if_cheaper(const Examined& at) {
  Cell total;
  double sum = 0;
  for (const auto* groups : {&at.free, &at.forced}) {
    for (const std::uint32_t g : *groups) {
      total = total + problem_.cell(g);
      sum += (*price_)[g];
    }
  }
  const double cost = leaf_cost(total, lambda_);
  if (sum <= cost || !problem_.can_be_leaf(total)) return;
  known_.begin(cost, lambda_);
  const double factor = known_.last_cost() / sum;
  for (const auto* groups : {&at.free, &at.forced}) {
    for (const std::uint32_t g : *groups) set_price(g, (*price_)[g] * factor);
    known_.add({groups->begin(), groups->end()});
  }
}

// Literals that no group or every group under examination satisfies extend nothing. False if every
// group satisfies a literal that was examined before: so was this conjunction.
bool PriceRepair::narrow(Examined& at) const {
  const std::size_t words = problem_.words();
  for (std::size_t k = 0; k < words; ++k) {
    std::uint64_t any = 0, all = ~std::uint64_t{0};
    for (const auto* groups : {&at.free, &at.forced}) {
      for (const std::uint32_t g : *groups) {
        any |= problem_.bits(g)[k];
        all &= problem_.bits(g)[k];
      }
    }
    if ((all & at.closed[k]) | (~any & at.closed[words + k])) return false;
    at.open[k] &= any & ~all;
    at.open[words + k] &= any & ~all;
  }
  return true;
}

// Groups that satisfy every open literal are part of every conjunction below.
void PriceRepair::force(Examined& at) const {
  const std::size_t words = problem_.words();
  std::uint32_t* forced = at.forced.room_for(at.forced.size() + at.free.size()) + at.forced.size();
  std::uint32_t* free = at.free.begin();
  for (const std::uint32_t g : at.free) {
    std::uint64_t broken = 0;
    for (std::size_t k = 0; k < words; ++k) {
      const std::uint64_t bits = problem_.bits(g)[k];
      broken |= (at.open[k] & ~bits) | (at.open[words + k] & bits);
    }
    *free = *forced = g;
    free += broken != 0;
    forced += broken == 0;
  }
  at.free.ends_at(free);
  at.forced.ends_at(forced);
}

// For any centre m a conjunction with the groups T is cheaper than its groups only if
//   sum over T of p_g - w_g (mean_g - m)²  >  lambda   at m = mean of T.
// Free groups count only where they add. Finds the centres at which the sum may exceed lambda;
// conjunctions with more literals exceed it at no others.
bool PriceRepair::may_be_cheaper(Examined& at) const {
  at.forced_total = {};
  for (const std::uint32_t g : at.forced) at.forced_total = at.forced_total + terms_[g];
  for (bool narrower = true; narrower;) {
    const Lanes step = Lanes{0, 1, 2, 3} * ((at.to - at.from) / 4);
    const Lanes from = at.from + step;
    Lanes to = __builtin_shufflevector(from, from, 1, 2, 3, 3);
    to[3] = at.to;
    Centres centres{from, to, {}, {}};
    most_at(terms_.data(), {at.free.begin(), at.free.end()}, at.forced_total, centres);
    const Lanes& most = centres.most;
    int first = 4, last = -1, top = 0;
    for (int k = 0; k < 4; ++k) {
      if (!(most[k] > lambda_ - rounding_)) continue;
      first = std::min(first, k);
      last = k;
      if (most[k] > most[top]) top = k;
    }
    if (last < 0) return false;
    at.centre = centres.best[top];
    at.to = to[last];
    at.from = from[first];
    narrower = last - first < 2 && at.from < at.to;
  }
  return true;
}

// The free group that takes most away at the best centre.
std::uint32_t PriceRepair::worst_fit(const Examined& at) const {
  std::uint32_t worst = *at.free.begin();
  double least = kInfinity;
  for (const std::uint32_t g : at.free) {
    const Term& term = terms_[g];
    const double value = term.excess + at.centre * (2 * term.sum - at.centre * term.weight);
    if (value < least) least = value, worst = g;
  }
  return worst;
}

// What can be added at most at any of the centres in question, for all literals at once.
void PriceRepair::screen(const Examined& at) {
  const Term& forced = at.forced_total;
  forced_ = at.forced.size() == 0 ? 0 : forced.excess + forced.sum * forced.sum / forced.weight;
  std::ranges::fill(addable_, 0.0);
  addable_in_all_ = 0;
  for (const std::uint32_t g : at.free) {
    const Term& term = terms_[g];
    const double peak = std::clamp(term.mean, at.from, at.to);
    const double addable = term.excess + peak * (2 * term.sum - peak * term.weight);
    if (addable <= 0) continue;
    addable_in_all_ += addable;
    for (const std::uint32_t f : problem_.ones(g)) addable_[f] += addable;
  }
}

bool PriceRepair::worth_adding(std::size_t word, std::uint64_t bit) const {
  const std::size_t feature = word % problem_.words() * 64 + std::countr_zero(bit);
  const double with = addable_[feature];
  const double addable = word < problem_.words() ? with : addable_in_all_ - with;
  return forced_ + addable > lambda_ - rounding_;
}

// Either the group that fits worst is left out by one of the literals that it violates, or none of
// these is used and it is in. Finds the violated literals that are worth adding, and closes the
// others.
void PriceRepair::choose_literals(Examined& at, std::uint64_t* worth) {
  const std::size_t words = problem_.words();
  const std::uint64_t* bits = problem_.bits(worst_fit(at));
  screen(at);
  for (std::size_t k = 0; k < 2 * words; ++k) {
    const std::uint64_t violated = at.open[k] & ~(k < words ? bits[k] : ~bits[k - words]);
    worth[k] = 0;
    for (std::uint64_t rest = violated; rest != 0; rest &= rest - 1) {
      const std::uint64_t bit = rest & -rest;
      if (worth_adding(k, bit)) worth[k] |= bit;
    }
    at.open[k] ^= violated & ~worth[k];
    at.closed[k] |= violated & ~worth[k];
  }
}

// Examines all extensions of a conjunction of this length. False if there is too much work.
bool PriceRepair::examine(std::size_t length) {
  Examined& at = examined_[length];
  const std::size_t words = problem_.words();
  if (!narrow(at)) return true;
  while (true) {
    force(at);
    if (at.free.size() == 0) return true;
    const std::size_t work = 50 + 10 * at.free.size() + 2 * at.forced.size();
    if (!pace_.spend(work) || static_cast<double>(pace_.spent()) > give_up_at_) return false;
    if (!may_be_cheaper(at)) return true;
    std::uint64_t* worth = worth_.data() + length * 2 * words;
    choose_literals(at, worth);
    for (std::size_t k = 0; k < 2 * words; ++k) {
      for (std::uint64_t rest = worth[k]; rest != 0; rest &= rest - 1) {
        const std::uint64_t bit = rest & -rest;
        at.open[k] ^= bit;
        if (!extend(length, k, bit)) return false;
        at.closed[k] |= bit;
      }
    }
  }
}

// Adds a literal to the conjunction under examination, and examines the result.
bool PriceRepair::extend(std::size_t length, std::size_t word, std::uint64_t bit) {
  const Examined& at = examined_[length];
  Examined& next = examined_[length + 1];
  const std::size_t words = problem_.words();
  const std::uint64_t flip = word < words ? 0 : ~std::uint64_t{0};
  const std::size_t bits_word = word % words;
  const auto holds = [&](std::uint32_t g) {
    return ((problem_.bits(g)[bits_word] ^ flip) & bit) != 0;
  };

  std::uint32_t* free = next.free.room_for(at.free.size());
  Term total = at.forced_total;  // repairs since then have only lowered it
  for (const std::uint32_t g : at.free) {
    *free = g;
    free += holds(g);
  }
  next.free.ends_at(free);
  for (const std::uint32_t g : next.free) total = total + terms_[g];
  pace_.spend(at.free.size());
  if (total.weight < problem_.leaf_size().least) return true;  // rows are not counted, or no prices
  std::uint32_t* forced = next.forced.room_for(at.forced.size());
  next.forced.ends_at(std::ranges::copy(at.forced, forced).out);
  if (exceeds(total)) lower_if_cheaper(next);
  next.open = at.open;
  next.closed = at.closed;
  next.from = at.from;
  next.to = at.to;
  return examine(length + 1);
}

}  // namespace optitree
