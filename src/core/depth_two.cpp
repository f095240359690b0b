#include "depth_two.hpp"

namespace optitree {

namespace {

struct Rates {
  double lambda;
  double split_cost;  // least cost of a subtree that is not a leaf
  double least_size;  // of a leaf
  bool leaf_count;
};

inline __attribute__((always_inline)) Lanes least(const Lanes& a, const Lanes& b) {
  return a < b ? a : b;
}

inline __attribute__((always_inline)) Lanes most(const Lanes& a, const Lanes& b) {
  return a > b ? a : b;
}

// Four cells of four lanes, turned so that each vector holds one lane of the four cells.
struct Turned {
  Lanes weight, sum, square, last;
};

inline __attribute__((always_inline)) Turned turn(const Lanes& a, const Lanes& b, const Lanes& c,
                                                  const Lanes& d) {
  const Lanes ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Lanes ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lanes cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Lanes cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
          __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
          __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
          __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
}

// Lanes of best[f]: see SideCosts. Where the last lane counts rows there are no prices.
template <bool kDeeper, bool kRows>
inline __attribute__((always_inline)) void sweep(const Cell* cells, std::size_t dimension,
                                                 const Cell& total, const Rates& rates,
                                                 SideCosts* best) {
  const Lanes infinity = Lanes{} + kInfinity;
  const Lanes lambda = Lanes{} + rates.lambda;
  const Lanes split_cost = Lanes{} + rates.split_cost;
  const Lanes least_size = Lanes{} + rates.least_size;
  for (std::size_t f = 0; f < dimension; ++f) best[f].lanes = infinity;
  for (std::size_t f = 0; f + 1 < dimension; ++f) {
    const Cell* row = cells + (f * dimension - f * (f + 1) / 2);
    const Lanes with_f = row[f].lanes;
    const Lanes without_f = total.lanes - with_f;
    Lanes best_f = best[f].lanes;
    const Cell* diagonal = row + dimension;  // the cell (f + 1, f + 1) and on from there
    for (std::size_t h = f + 1; h < dimension; ++h) {
      const Lanes both = row[h].lanes;
      const Lanes only_h = diagonal->lanes - both;
      diagonal += dimension - h;
      const Turned q = turn(both, with_f - both, only_h, without_f - only_h);
      const LaneMask feasible = (kRows ? q.last : q.weight) >= least_size;
      const Lanes raw = lambda + (q.square - q.sum * q.sum / q.weight);
      const Lanes leaf = feasible ? raw : infinity;
      // Lanes of a quadrant vector: f and h, f only, h only, neither.
      const Lanes across_h = leaf + __builtin_shufflevector(leaf, leaf, 1, 0, 3, 2);
      const Lanes across_f = leaf + __builtin_shufflevector(leaf, leaf, 2, 3, 0, 1);
      Lanes for_f, for_h;
      if constexpr (kDeeper) {
        const Lanes price = kRows ? Lanes{} : q.last;
        const Lanes split = most(split_cost, price);
        const Lanes any = most(least(leaf, split_cost), price);
        const Lanes beside = rates.leaf_count ? split : any;
        const Lanes low_h = least(any + __builtin_shufflevector(beside, beside, 1, 0, 3, 2),
                                  beside + __builtin_shufflevector(any, any, 1, 0, 3, 2));
        const Lanes low_f = least(any + __builtin_shufflevector(beside, beside, 2, 3, 0, 1),
                                  beside + __builtin_shufflevector(any, any, 2, 3, 0, 1));
        const Lanes deeper_h = across_h < infinity ? low_h : infinity;
        const Lanes deeper_f = across_f < infinity ? low_f : infinity;
        for_f = __builtin_shufflevector(across_h, deeper_h, 0, 2, 4, 6);
        for_h = __builtin_shufflevector(across_f, deeper_f, 0, 1, 4, 5);
      } else {
        for_f = __builtin_shufflevector(across_h, across_h, 0, 2, 0, 2);
        for_h = __builtin_shufflevector(across_f, across_f, 0, 1, 0, 1);
      }
      best_f = least(best_f, for_f);
      best[h].lanes = least(best[h].lanes, for_h);
    }
    best[f].lanes = best_f;
  }
}

OPTITREE_MULTIVERSION
void sweep_stumps(const Cell* cells, std::size_t dimension, const Cell& total, const Rates& rates,
                  bool by_rows, SideCosts* best) {
  if (by_rows) sweep<false, true>(cells, dimension, total, rates, best);
  else sweep<false, false>(cells, dimension, total, rates, best);
}

OPTITREE_MULTIVERSION
void sweep_stumps_and_bounds(const Cell* cells, std::size_t dimension, const Cell& total,
                             const Rates& rates, bool by_rows, SideCosts* best) {
  if (by_rows) sweep<true, true>(cells, dimension, total, rates, best);
  else sweep<true, false>(cells, dimension, total, rates, best);
}

}  // namespace

void depth_two(const PairTable& table, const Cell& total, const Problem& problem,
               const Options& options, bool want_deeper, std::vector<SideCosts>& costs) {
  const double lambda = problem.regularization();
  const Rates rates{lambda, split_cost(lambda, options), problem.least_size(), options.leaf_count};
  const bool by_rows = !problem.has_prices();
  costs.resize(table.dimension());
  if (table.dimension() == 0) return;
  if (!want_deeper || !options.pairs) {
    sweep_stumps(table.row(0), table.dimension(), total, rates, by_rows, costs.data());
  } else {
    sweep_stumps_and_bounds(table.row(0), table.dimension(), total, rates, by_rows, costs.data());
  }
  if (want_deeper && !options.pairs) {
    const double any = options.leaf_count ? rates.split_cost + lambda : rates.split_cost;
    for (SideCosts& cost : costs) cost.lanes[2] = cost.lanes[3] = any;
  }
}

double best_of_depth_two(const PairTable& table, const Cell& total, const Problem& problem,
                         const Options& options, std::vector<SideCosts>& costs) {
  const double lambda = problem.regularization();
  depth_two(table, total, problem, options, false, costs);
  double best = leaf_cost(total, lambda);
  for (std::size_t f = 0; f < table.dimension(); ++f) {
    const Cell& ones = table.diagonal(f);
    const Cell zeros = total - ones;
    if (!problem.can_be_leaf(ones) || !problem.can_be_leaf(zeros)) continue;
    best = std::min(best, std::min(leaf_cost(ones, lambda), costs[f].stump(1)) +
                              std::min(leaf_cost(zeros, lambda), costs[f].stump(0)));
  }
  return best;
}

}  // namespace optitree
