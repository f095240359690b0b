#include "costs/squared/price_terms.hpp"

#include <algorithm>
#include <bit>

namespace optitree {

// A group that adds all over the interval is counted as it is, by its parabola; of one that adds in
// a part of it, the most that it adds. The centre is where the sum of the parabolas is largest.
OPTITREE_MULTIVERSION
void most_on(const Intervals& intervals, const Term* terms, Members free, const Term& forced,
             MostOfLeaf& found) {
  const Lanes from = intervals.from, to = intervals.to;
  const Lanes zero{};
  Lanes excess = zero + forced.excess, sum = zero + forced.sum, weight = zero + forced.weight;
  Lanes partly = zero;
  for (const std::uint32_t g : free) {
    const Term& term = terms[g];
    const Lanes at_from = term.excess + from * (2 * term.sum - from * term.weight);
    const Lanes at_to = term.excess + to * (2 * term.sum - to * term.weight);
    const Lanes top = top_of(term, from, to);
    const LaneMask all_over = (at_from > zero) & (at_to > zero);
    excess += all_over ? zero + term.excess : zero;
    sum += all_over ? zero + term.sum : zero;
    weight += all_over ? zero + term.weight : zero;
    partly += (~all_over & (top > zero)) ? top : zero;
  }
  const Lanes best = clamp(weight > zero ? sum / weight : from, from, to);
  found.centre = best;
  found.most = excess + best * (2 * sum - best * weight) + partly;
}

namespace {

OPTITREE_MULTIVERSION
void add_tops(const Intervals& intervals, const Term* terms, Members groups, const Problem& problem,
              Addable& addable, Lanes (&sums)[2]) {
  const Lanes from = intervals.from, to = intervals.to;
  const Lanes zero{};
  Lanes in_all = zero, in_halves = zero;
  const std::size_t words = problem.words();
  const std::uint64_t* const bits =
      problem.chains().any() ? problem.chains().heads().data() : problem.bits(0);
  const std::uint64_t* const features = addable.features.data();
  Cell* const with = addable.with.data();
  for (const std::uint32_t g : groups) {
    const Lanes top = top_of(terms[g], from, to);
    const Lanes adds = top > zero ? top : zero;
    in_all += adds;
    const Lanes pairs = most(adds, __builtin_shufflevector(adds, adds, 1, 0, 3, 2));
    in_halves += most(pairs, Lanes{0, 0, 0, 1} * __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1));
    for (std::size_t k = 0; k < words; ++k) {
      for (std::uint64_t rest = bits[g * words + k] & features[k]; rest != 0; rest &= rest - 1) {
        with[k * 64 + static_cast<std::size_t>(std::countr_zero(rest))].lanes += adds;
      }
    }
  }
  for (const Chain& chain : addable.chains) {
    for (std::uint32_t k = 1; k < chain.length(); ++k) {
      const std::uint32_t at = chain.rising ? chain.begin + k : chain.end - 1 - k;
      with[at].lanes += with[chain.rising ? at - 1 : at + 1].lanes;
    }
  }
  sums[0] = in_all;
  sums[1] = in_halves;
}

// The bits of one word from `begin` to `end`, both counted from its first.
std::uint64_t bits_between(std::size_t begin, std::size_t end) {
  const std::uint64_t below_end = end >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
  return below_end & ~std::uint64_t{0} << begin;
}

}  // namespace

void Addable::ask_for(const std::vector<std::uint64_t>& literals, const Problem& problem) {
  const std::size_t words = problem.words();
  features.assign(words, 0);
  chains.clear();
  for (const Chain& chain : problem.chains().all()) {
    bool some = false;
    const std::size_t first = chain.begin / 64, last = (chain.end - 1) / 64;
    const auto bits = [&](std::size_t k) {
      return bits_between(k == first ? chain.begin % 64 : 0, k == last ? chain.end - 64 * k : 64);
    };
    for (std::size_t k = first; k <= last && !some; ++k) {
      some = ((literals[k] | literals[words + k]) & bits(k)) != 0;
    }
    if (!some) continue;
    chains.push_back(chain);
    for (std::size_t k = first; k <= last; ++k) features[k] |= bits(k);
  }
}

void measure_addable(const Intervals& intervals, const Term* terms, Members groups,
                     const Problem& problem, Addable& addable) {
  addable.with.resize(problem.features());
  for (const Chain& chain : addable.chains) {
    std::fill(addable.with.begin() + chain.begin, addable.with.begin() + chain.end, Cell{});
  }
  Lanes sums[2];
  add_tops(intervals, terms, groups, problem, addable, sums);
  addable.in_all = sums[0];
  addable.below = sums[1][0];
  addable.above = sums[1][2];
  addable.anywhere = sums[1][3];
}

OPTITREE_MULTIVERSION
void find_worst(const Term* terms, Members groups, const Problem& problem,
                const std::uint64_t* literals, double centre, Worst& worst) {
  const std::size_t words = problem.words();
  for (const std::uint32_t g : groups) {
    const std::uint64_t* const bits = problem.bits(g);
    int violated = 0;
    for (std::size_t k = 0; k < words; ++k) {
      violated +=
          std::popcount(literals[k] & ~bits[k]) + std::popcount(literals[words + k] & bits[k]);
    }
    const double value = terms[g].at(centre) / (violated * violated);
    if (value < worst.first) worst = {value, g};
  }
}

}  // namespace optitree
