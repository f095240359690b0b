// What groups with prices bring to a leaf, by the centre of the leaf.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/lanes.hpp"
#include "problem/problem.hpp"

namespace optitree {

// What a group, or a set of groups, brings to a leaf with these prices and a centre m:
//   excess + 2 sum m - weight m² = sum over groups of price - weight (mean - m)².
struct Term {
  double excess = 0;  // price - square
  double sum = 0;
  double weight = 0;
  double mean = 0;  // of a group

  double at(double centre) const { return excess + centre * (2 * sum - centre * weight); }
};
inline Term operator+(const Term& a, const Term& b) {
  return {a.excess + b.excess, a.sum + b.sum, a.weight + b.weight, 0};
}

// Four neighbouring intervals of centres.
struct Intervals {
  Lanes from, to;

  Intervals(double first, double last) {
    from = first + Lanes{0, 1, 2, 3} * ((last - first) / 4);
    to = __builtin_shufflevector(from, from, 1, 2, 3, 3);
    to[3] = last;
  }
};

// The largest value of a term on each interval.
OPTITREE_INLINE Lanes top_of(const Term& term, const Lanes& from, const Lanes& to) {
  const Lanes peak = clamp(Lanes{} + term.mean, from, to);
  return term.excess + peak * (2 * term.sum - peak * term.weight);
}

// The most that free groups, each only where it adds, and forced ones bring at a centre in each
// interval, or more; and the centre at which.
struct MostOfLeaf {
  Lanes most, centre;
};
void most_on(const Intervals& intervals, const Term* terms, Members free, const Term& forced,
             MostOfLeaf& found);

// On each interval, the most that groups can add: those with a feature, and all.
struct Addable {
  std::vector<Cell> with;  // by feature, as far as it was asked for
  Lanes in_all{};
  // The same on the lower two intervals, on the upper two, and on all of them.
  double below = 0, above = 0, anywhere = 0;
  // What is asked for: chains of features, and all their features as bits.
  std::vector<Chain> chains;
  std::vector<std::uint64_t> features;

  // Asks for the features of which a literal is among these.
  void ask_for(const std::vector<std::uint64_t>& literals, const Problem& problem);
  Lanes of(Literal literal) const {
    return literal & 1 ? with[literal >> 1].lanes : in_all - with[literal >> 1].lanes;
  }
  double most_of(Literal literal) const {
    const Lanes lanes = of(literal);
    return std::max(std::max(lanes[0], lanes[1]), std::max(lanes[2], lanes[3]));
  }
};
void measure_addable(const Intervals& intervals, const Term* terms, Members groups,
                     const Problem& problem, Addable& addable);

// A value and the group that has it.
using Worst = std::pair<double, std::uint32_t>;
// The group that is worth least at a centre by the square of the number of literals that it
// violates, if it is less than that of `worst`.
void find_worst(const Term* terms, Members groups, const Problem& problem,
                const std::uint64_t* literals, double centre, Worst& worst);

}  // namespace optitree
