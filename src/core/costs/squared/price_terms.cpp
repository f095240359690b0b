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
              Cell* with, Lanes (&sums)[2]) {
  const Lanes from = intervals.from, to = intervals.to;
  const Lanes zero{};
  Lanes in_all = zero, in_halves = zero;
  const Chains& chains = problem.chains();
  const std::size_t words = problem.words();
  const std::uint64_t* const bits = chains.any() ? chains.heads().data() : problem.bits(0);
  for (const std::uint32_t g : groups) {
    const Lanes top = top_of(terms[g], from, to);
    const Lanes adds = top > zero ? top : zero;
    in_all += adds;
    const Lanes pairs = most(adds, __builtin_shufflevector(adds, adds, 1, 0, 3, 2));
    in_halves += most(pairs, Lanes{0, 0, 0, 1} * __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1));
    for (std::size_t k = 0; k < words; ++k) {
      for (std::uint64_t rest = bits[g * words + k]; rest != 0; rest &= rest - 1) {
        with[k * 64 + static_cast<std::size_t>(std::countr_zero(rest))].lanes += adds;
      }
    }
  }
  for (const Chain& chain : chains.all()) {
    for (std::uint32_t k = 1; k < chain.length(); ++k) {
      const std::uint32_t at = chain.rising ? chain.begin + k : chain.end - 1 - k;
      with[at].lanes += with[chain.rising ? at - 1 : at + 1].lanes;
    }
  }
  sums[0] = in_all;
  sums[1] = in_halves;
}

}  // namespace

void measure_addable(const Intervals& intervals, const Term* terms, Members groups,
                     const Problem& problem, Addable& addable) {
  addable.with.assign(problem.features(), Cell{});
  Lanes sums[2];
  add_tops(intervals, terms, groups, problem, addable.with.data(), sums);
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
