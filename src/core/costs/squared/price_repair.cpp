// How the conjunctions are gone through (theory, section 8). A set of them is known by what leads
// to it: the groups that some of them leave out (free), those that all have (forced), the literals
// that may still be added (open) and those whose conjunctions are done with (closed).
//
//   extend    a conjunction by a literal: look at the result, then at its extensions
//     narrow            literals that nothing or everything satisfies are no extensions
//     choose_literals
//       force           free groups that satisfy every open literal are in all of them
//       may_be_cheaper  a bound on what they all are worth, by the centre of the leaf; mostly the
//                       end of it
//       screen          closes the literals whose conjunctions a simpler bound settles at once
//       find_violated   some free group is left out by one of the literals that it violates, or
//                       none of these is used and it is in
//     and so on with each of these literals; then, with these closed, choose_literals again,
//     until nothing is open
#include "costs/squared/price_repair.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "costs/leaf_bounds.hpp"
#include "costs/squared/leaf_cost.hpp"

namespace optitree {

namespace {

// About the nanoseconds that the steps take: for a node, a chain, a group, a word of the bits of a
// group.
constexpr std::size_t kWorkOfNode = 400, kWorkOfChain = 8, kWorkOfForcing = 3, kWorkOfBound = 10,
                      kWorkOfScreening = 10, kWorkOfExtending = 5, kWorkOfWord = 2;

// A conjunction is tight if no more than the rest to this share of lambda is left of its cost.
constexpr double kTight = 0.7;

// Steps that take no literal: the lower or the upper half of the centres in question.
constexpr Literal kLowerHalf = 0xfffffffeU, kUpperHalf = 0xffffffffU;

// What rounding can do to a sum over all groups, generously.
double rounding_of(const Problem& problem) {
  return 1e-13 * std::max(1.0, static_cast<double>(problem.groups()) / 1000);
}

}  // namespace

PriceRepair::PriceRepair(const Problem& problem, const Implications& implications, Pace& pace,
                         KnownConjunctions& known)
    : problem_(problem),
      implications_(implications),
      pace_(pace),
      known_(known),
      rounding_(rounding_of(problem)),
      terms_(problem.groups()) {}

void PriceRepair::begin(std::vector<double>& price) {
  price_ = &price;
  lambda_ = problem_.regularization();
  level_ = 0;
  const auto groups = static_cast<std::uint32_t>(problem_.groups());
  const std::size_t words = problem_.words();
  for (std::uint32_t g = 0; g < groups; ++g) set_price(g, price[g]);
  Examined& all = level(0);
  std::uint32_t* adding = all.adding.room_for(groups);
  std::iota(adding, adding + groups, 0U);
  all.adding.ends_at(adding + groups);
  all.idle.ends_at(all.idle.begin());
  all.forced.ends_at(all.forced.begin());
  all.open.assign(2 * words, 0);
  all.closed.assign(2 * words, 0);
  for (std::size_t f = 0; f < problem_.features(); ++f) {
    all.open[f / 64] |= std::uint64_t{1} << (f % 64);
    all.open[words + f / 64] |= std::uint64_t{1} << (f % 64);
  }
  all.from = problem_.mean(0);
  all.to = problem_.mean(groups - 1);
  all.extend.clear();
  all.next = 0;
  lower_if_cheaper(all);
  narrow(all);
}

bool PriceRepair::go_on(double pause_at) {
  while (true) {
    Examined& at = examined_[level_];
    if (at.next < at.extend.size()) {
      const Literal literal = at.extend[at.next++];
      if (literal >= kLowerHalf ? take_half(at, literal) : extend(at, literal)) ++level_;
      else close(at, literal);
    } else if (!choose_literals(at)) {
      if (level_ == 0) return true;
      --level_;
      close(examined_[level_], examined_[level_].extend[examined_[level_].next - 1]);
    }
    if (!pace_.spend(0) || static_cast<double>(pace_.spent()) > pause_at) return false;
  }
}

std::size_t PriceRepair::bytes() const {
  std::size_t sum = terms_.size() * sizeof(Term);
  for (const Examined& at : examined_) {
    sum += at.adding.bytes() + at.idle.bytes() + at.forced.bytes();
  }
  return sum;
}

void PriceRepair::set_price(std::uint32_t group, double price) {
  const Cell& cell = problem_.cell(group);
  (*price_)[group] = price;
  terms_[group] = {price - cell.square(), cell.sum(), cell.weight(), problem_.mean(group)};
}

// Whether groups with these sums cost less as a leaf than their prices, or hardly more.
bool PriceRepair::tight(const Term& total) const {
  return (total.excess - kTight * lambda_) * total.weight + total.sum * total.sum > 0;
}

// The conjunction itself, without further literals. One that hardly costs more than its groups will
// stand in the way when prices rise: it is remembered, too.
void PriceRepair::lower_if_cheaper(const Examined& at) {
  Cell total;
  double sum = 0;
  std::uint64_t hash = 0;
  for (const auto* groups : {&at.adding, &at.idle, &at.forced}) {
    for (const std::uint32_t g : *groups) {
      total = total + problem_.cell(g);
      sum += (*price_)[g];
      hash += problem_.tag(g);
    }
  }
  const double cost = leaf_cost(total, lambda_);
  if (sum <= cost - (1 - kTight) * lambda_ || !problem_.can_be_leaf(total)) return;
  if (known_.begin(cost, lambda_, hash)) {
    for (const auto* groups : {&at.adding, &at.idle, &at.forced}) {
      known_.add(*groups);
    }
  }
  if (sum <= cost) return;
  const double factor = KnownConjunctions::less_slack(cost, lambda_) / sum;
  for (const auto* groups : {&at.adding, &at.idle, &at.forced}) {
    for (const std::uint32_t g : *groups) set_price(g, (*price_)[g] * factor);
  }
}

// Literals that no group or every group under examination satisfies extend nothing. False if every
// group satisfies a literal that was examined before: so was this conjunction.
bool PriceRepair::narrow(Examined& at) const {
  const std::size_t words = problem_.words();
  for (std::size_t k = 0; k < words; ++k) {
    std::uint64_t any = 0, all = ~std::uint64_t{0};
    for (const auto* groups : {&at.adding, &at.idle, &at.forced}) {
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

// Groups that satisfy every open literal are part of every conjunction below. Whether there are
// more of them than before.
bool PriceRepair::force(Examined& at) const {
  const std::size_t before = at.forced.size();
  const auto move = [&](auto left_out) {
    move_unless(at.adding, at.forced, left_out);
    move_unless(at.idle, at.forced, left_out);
  };
  const std::size_t words = problem_.words();
  const std::uint64_t *bits = problem_.bits(0), *ones = at.open.data(), *zeros = ones + words;
  if (words == 1) {  // most often, and this is where passes spend much of their time
    move([bits, one = *ones, zero = *zeros](std::uint32_t g) {
      return ((one & ~bits[g]) | (zero & bits[g])) != 0;
    });
  } else {
    move([=](std::uint32_t g) {
      std::uint64_t broken = 0;
      for (std::size_t k = 0; k < words; ++k) {
        const std::uint64_t word = bits[g * words + k];
        broken |= (ones[k] & ~word) | (zeros[k] & word);
      }
      return broken != 0;
    });
  }
  return at.forced.size() > before;
}

// For any centre m a conjunction with the groups T is cheaper than its groups only if
//   sum over T of p_g - w_g (mean_g - m)²  >  lambda   at m = mean of T.
// Free groups count only where they add. Finds the centres at which the sum may exceed lambda;
// conjunctions with more literals exceed it at no others.
bool PriceRepair::may_be_cheaper(Examined& at) const {
  for (bool narrower = true; narrower;) {
    const Intervals intervals(at.from, at.to);
    MostOfLeaf found;
    most_on(intervals, terms_.data(), at.adding, at.forced_total, found);
    pace_.spend(kWorkOfBound * at.adding.size());
    const Lanes& most = found.most;
    int first = 4, last = -1, top = 0;
    for (int k = 0; k < 4; ++k) {
      if (!(most[k] > lambda_ - rounding_)) continue;
      first = std::min(first, k);
      last = k;
      if (most[k] > most[top]) top = k;
    }
    if (last < 0) return false;
    at.centre = found.centre[top];
    at.to = intervals.to[last];
    at.from = intervals.from[first];
    narrower = last - first < 2 && at.from < at.to;
  }
  return true;
}

// The groups that add nothing at any of the centres in question: nor will they at fewer.
void PriceRepair::set_idle(Examined& at) const {
  move_unless(at.adding, at.idle, [terms = terms_.data(), from = at.from, to = at.to](auto g) {
    return terms[g].at(std::clamp(terms[g].mean, from, to)) > 0;
  });
}

// What can be added at most at any of the centres in question, for every open literal at once: the
// most that the forced groups bring on an interval, and the most of each free group that satisfies
// the literal. Closes those that cannot reach lambda. Whether there were any.
bool PriceRepair::screen(Examined& at) {
  const Intervals intervals(at.from, at.to);
  addable_.ask_for(at.open, problem_);
  pace_.spend(kWorkOfChain * problem_.chains().all().size() +
              at.adding.size() * (kWorkOfScreening + addable_.chains.size()));
  measure_addable(intervals, terms_.data(), at.adding, problem_, addable_);
  Term forced = at.forced_total;
  forced.mean = forced.weight > 0 ? forced.sum / forced.weight : 0;
  const Lanes needed = lambda_ - rounding_ - top_of(forced, intervals.from, intervals.to);
  bool any = false;
  for_each_literal(at.open, [&](Literal literal) {
    const LaneMask reached = addable_.of(literal) > needed;
    if (reached[0] | reached[1] | reached[2] | reached[3]) return;
    at.open[implications_.word_of(literal)] ^= Implications::bit_of(literal);
    at.closed[implications_.word_of(literal)] |= Implications::bit_of(literal);
    any = true;
  });
  return any;
}

// Either some group is left out by one of the literals that it violates, or none of these is used
// and it is in. Best is a group that fits badly and violates few: what it adds at the best centre
// by the square of how many it violates.
void PriceRepair::find_violated(Examined& at) const {
  const std::size_t words = problem_.words();
  Worst worst{kInfinity, 0};
  for (const auto* free : {&at.adding, &at.idle}) {
    find_worst(terms_.data(), *free, problem_, at.open.data(), at.centre, worst);
  }
  const std::uint32_t chosen = worst.second;
  at.violated.resize(2 * words);
  for (std::size_t k = 0; k < words; ++k) {
    const std::uint64_t bits = problem_.bits(chosen)[k];
    at.violated[k] = at.open[k] & ~bits;
    at.violated[words + k] = at.open[words + k] & bits;
  }
}

// Of two literals with the same support the first stands for both.
bool PriceRepair::implies_another(Literal literal, const Literals& among) const {
  const LiteralBits implied = implications_.implied_by(literal);
  bool found = false;
  for (std::size_t k = 0; k < among.size() && !found; ++k) {
    std::uint64_t rest = implied[k] & among[k];
    if (k == implications_.word_of(literal)) rest &= ~Implications::bit_of(literal);
    const std::size_t first = k % problem_.words() * 64;
    for (; rest != 0 && !found; rest &= rest - 1) {
      const auto feature =
          static_cast<Literal>(first) + static_cast<Literal>(std::countr_zero(rest));
      const Literal other = 2 * feature + (k < problem_.words() ? 1 : 0);
      const bool mutual = (implications_.implied_by(other)[implications_.word_of(literal)] &
                           Implications::bit_of(literal)) != 0;
      found = !mutual || other < literal;
    }
  }
  return found;
}

// A conjunction with a literal that implies another is among those with the other: only literals
// that imply no other violated one are tried. Those that leave least come first.
void PriceRepair::order_violated(Examined& at) {
  at.extend.clear();
  for_each_literal(at.violated, [&](Literal literal) {
    if (!implies_another(literal, at.violated)) at.extend.push_back(literal);
  });
  std::ranges::sort(at.extend, {},
                    [&](Literal literal) { return std::pair(addable_.most_of(literal), literal); });
  at.next = 0;
}

// Whether to look at the lower and the upper half of the centres one after the other. What groups
// can add grows with the distance between the centres, and the number of sets to examine with its
// square or more: twice as many sets of which each can add less pay if the squares add up to less.
bool PriceRepair::halves_pay() const {
  return addable_.below * addable_.below + addable_.above * addable_.above <
         addable_.anywhere * addable_.anywhere;
}

bool PriceRepair::take_half(const Examined& at, Literal half) {
  Examined& next = level(level_ + 1);
  const auto all = [](std::uint32_t) { return true; };
  copy_if(at.adding, next.adding, all);
  copy_if(at.idle, next.idle, all);
  copy_if(at.forced, next.forced, all);
  next.forced_total = at.forced_total;
  next.open = at.open;
  next.closed = at.closed;
  const double middle = at.from + (at.to - at.from) / 2;
  next.from = half == kLowerHalf ? at.from : middle;
  next.to = half == kLowerHalf ? middle : at.to;
  next.extend.clear();
  next.next = 0;
  pace_.spend(at.adding.size() + at.idle.size() + at.forced.size());
  return true;
}

PriceRepair::Examined& PriceRepair::level(std::size_t number) {
  while (examined_.size() <= number) examined_.emplace_back();
  return examined_[number];
}

// False if all extensions are done with.
bool PriceRepair::choose_literals(Examined& at) {
  for (bool first = true;; first = false) {
    const bool more = force(at);
    const std::size_t free = at.adding.size() + at.idle.size();
    pace_.spend(kWorkOfNode + (kWorkOfForcing + kWorkOfWord * problem_.words()) * free +
                at.forced.size());
    if (free == 0) return false;
    if (!first && !more) break;
    at.forced_total = {};
    for (const std::uint32_t g : at.forced) at.forced_total = at.forced_total + terms_[g];
    if (!may_be_cheaper(at)) return false;
    set_idle(at);
    if (!screen(at)) break;
  }
  at.next = 0;
  if (halves_pay()) {
    at.extend = {kLowerHalf, kUpperHalf};
    return true;
  }
  find_violated(at);
  order_violated(at);
  return true;
}

// With the literal all conjunctions are done that have it, and so are those with a literal that
// implies it. Not before: until then they may be among its extensions.
void PriceRepair::close(Examined& at, Literal literal) {
  if (literal == kUpperHalf) std::ranges::fill(at.open, 0);  // and all is done
  if (literal >= kLowerHalf) return;
  const std::size_t word = implications_.word_of(literal);
  const std::uint64_t bit = Implications::bit_of(literal);
  at.closed[word] |= bit;
  for_each_literal(at.violated, [&](Literal other) {
    if ((implications_.implied_by(other)[word] & bit) == 0) return;
    const std::size_t at_word = implications_.word_of(other);
    at.open[at_word] &= ~Implications::bit_of(other);
    at.closed[at_word] |= Implications::bit_of(other);
  });
}

// Adds a literal to the conjunction under examination and looks at the result. False if there is
// nothing below it to examine: mostly the bound says so with the groups that are forced already.
bool PriceRepair::extend(Examined& at, Literal literal) {
  Examined& next = level(level_ + 1);
  at.open[implications_.word_of(literal)] ^= Implications::bit_of(literal);
  const auto holds = problem_.holds(literal);
  copy_if(at.adding, next.adding, holds);
  pace_.spend(kWorkOfExtending * at.adding.size());
  next.from = at.from;
  next.to = at.to;
  next.forced_total = at.forced_total;  // repairs since then have only lowered it
  if (!may_be_cheaper(next)) return false;
  copy_if(at.idle, next.idle, holds);
  Term total = next.forced_total;
  for (const auto* groups : {&next.adding, &next.idle}) {
    for (const std::uint32_t g : *groups) total = total + terms_[g];
  }
  if (total.weight < problem_.leaf_size().least)
    return false;  // rows are not counted, or no prices
  copy_if(at.forced, next.forced, [](std::uint32_t) { return true; });
  if (tight(total)) lower_if_cheaper(next);
  next.open = at.open;
  next.closed = at.closed;
  next.extend.clear();
  next.next = 0;
  const std::size_t kept = next.adding.size() + next.idle.size() + next.forced.size();
  pace_.spend(kWorkOfExtending * at.idle.size() + 2 * at.forced.size() + problem_.words() * kept);
  return narrow(next);
}

}  // namespace optitree
