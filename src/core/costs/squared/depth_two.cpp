#include "costs/squared/depth_two.hpp"

#include <algorithm>
#include <numeric>

namespace optitree {

namespace {

constexpr std::size_t kLanes = 4;

struct Rates {
  double lambda;
  double split_cost;  // least cost of a subtree that is not a leaf
  double least_size;  // of a leaf
  bool leaf_count;
};

// What a sweep reads: the cells of a table at `count` of its rows, and their diagonal.
struct Input {
  const Cell* cells;
  std::size_t dimension;
  const std::uint32_t* rows;  // ascending, then kLanes more of whatever
  std::size_t count;
  const double *weight, *sum, *square, *last;
  Lanes total;
};

struct Output {
  double *leaf_1, *leaf_0;
  double *stump_1, *stump_0;
  double *deeper_1, *deeper_0;
};

inline __attribute__((always_inline)) Lanes least(const Lanes& a, const Lanes& b) {
  return a < b ? a : b;
}
inline __attribute__((always_inline)) Lanes most(const Lanes& a, const Lanes& b) {
  return a > b ? a : b;
}
inline __attribute__((always_inline)) Lanes load(const double* from) {
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
// The least of the lanes of a, then that of b.
inline __attribute__((always_inline)) Lanes least_of_each(const Lanes& a, const Lanes& b) {
  const Lanes pairs =
      least(__builtin_shufflevector(a, b, 0, 4, 2, 6), __builtin_shufflevector(a, b, 1, 5, 3, 7));
  return least(pairs, __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1));
}

// The same quadrant for four second features: weights, sums, squares and the last lane.
struct Quadrants {
  Lanes weight, sum, square, last;
};

inline __attribute__((always_inline)) Quadrants operator-(const Quadrants& a, const Quadrants& b) {
  return {a.weight - b.weight, a.sum - b.sum, a.square - b.square, a.last - b.last};
}
inline __attribute__((always_inline)) Quadrants turn(const Lanes& a, const Lanes& b, const Lanes& c,
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

// Four second features at a time, for every first feature: the four quadrants of each pair as
// leaves, and what the sides of both features can be made of. Where the last lane counts rows there
// are no prices.
template <bool kDeeper, bool kRows>
inline __attribute__((always_inline)) void sweep(const Input& in, const Rates& rates,
                                                 const Output& out) {
  const Lanes zero{};
  const Lanes infinity = zero + kInfinity;
  const Lanes lambda = zero + rates.lambda;
  const Lanes least_size = zero + rates.least_size;
  const Lanes split_cost = zero + rates.split_cost;
  const std::size_t count = in.count;
  const double* const weight = in.weight;
  const double* const sum = in.sum;
  const double* const square = in.square;
  const double* const last = in.last;
  const auto store = [](double* to, const Lanes& lanes) __attribute__((always_inline)) {
    __builtin_memcpy(to, &lanes, sizeof lanes);
  };
  for (std::size_t k = 0; k < count; k += kLanes) {
    const Lanes w = load(weight + k), s = load(sum + k), q = load(square + k);
    const Lanes other_w = in.total[0] - w, other_s = in.total[1] - s, other_q = in.total[2] - q;
    store(out.leaf_1 + k, lambda + (q - s * s / w));
    store(out.leaf_0 + k, lambda + (other_q - other_s * other_s / other_w));
    store(out.stump_1 + k, infinity);
    store(out.stump_0 + k, infinity);
    if constexpr (kDeeper) {
      store(out.deeper_1 + k, infinity);
      store(out.deeper_0 + k, infinity);
    }
  }
  for (std::size_t f = 0; f + 1 < count; ++f) {
    const std::size_t at = in.rows[f];
    const Cell* row = in.cells + (at * in.dimension - at * (at + 1) / 2);
    const Quadrants with_f{zero + weight[f], zero + sum[f], zero + square[f], zero + last[f]};
    const Quadrants without_f{in.total[0] - with_f.weight, in.total[1] - with_f.sum,
                              in.total[2] - with_f.square, in.total[3] - with_f.last};
    Lanes stump_1 = infinity, stump_0 = infinity, deeper_1 = infinity, deeper_0 = infinity;
    for (std::size_t h = f + 1; h < count; h += kLanes) {
      const std::uint32_t* second = in.rows + h;
      const Quadrants with_h{load(weight + h), load(sum + h), load(square + h), load(last + h)};
      const Quadrants both = turn(row[second[0]].lanes, row[second[1]].lanes, row[second[2]].lanes,
                                  row[second[3]].lanes);
      const Quadrants only_f = with_f - both;
      const Quadrants only_h = with_h - both;
      const Quadrants neither = without_f - only_h;
      const LaneMask there = Lanes{0, 1, 2, 3} < zero + static_cast<double>(count - h);
      const auto leaf = [&](const Quadrants& q) __attribute__((always_inline)) {
        const LaneMask feasible = ((kRows ? q.last : q.weight) >= least_size) & there;
        const Lanes cost = lambda + (q.square - q.sum * q.sum / q.weight);
        return feasible ? cost : infinity;
      };
      const Lanes leaf_both = leaf(both), leaf_f = leaf(only_f), leaf_h = leaf(only_h),
                  leaf_neither = leaf(neither);
      const Lanes f_1 = leaf_both + leaf_f, f_0 = leaf_h + leaf_neither;
      const Lanes h_1 = leaf_both + leaf_h, h_0 = leaf_f + leaf_neither;
      stump_1 = least(stump_1, f_1);
      stump_0 = least(stump_0, f_0);
      store(out.stump_1 + h, least(load(out.stump_1 + h), h_1));
      store(out.stump_0 + h, least(load(out.stump_0 + h), h_0));
      if constexpr (kDeeper) {
        struct Pieces {
          Lanes any, split;
        };
        const auto pieces = [&](const Quadrants& q,
                                const Lanes& as_leaf) __attribute__((always_inline)) {
          const Lanes price = kRows ? zero : q.last;
          const Lanes any = most(least(as_leaf, split_cost), price);
          return Pieces{any, rates.leaf_count ? most(split_cost, price) : any};
        };
        const auto together = [&](const Pieces& a, const Pieces& b, const Lanes& as_leaves)
                                  __attribute__((always_inline)) {
                                    const Lanes cost = least(a.any + b.split, a.split + b.any);
                                    return as_leaves < infinity ? cost : infinity;
                                  };
        const Pieces p_both = pieces(both, leaf_both), p_f = pieces(only_f, leaf_f),
                     p_h = pieces(only_h, leaf_h), p_neither = pieces(neither, leaf_neither);
        deeper_1 = least(deeper_1, together(p_both, p_f, f_1));
        deeper_0 = least(deeper_0, together(p_h, p_neither, f_0));
        store(out.deeper_1 + h, least(load(out.deeper_1 + h), together(p_both, p_h, h_1)));
        store(out.deeper_0 + h, least(load(out.deeper_0 + h), together(p_f, p_neither, h_0)));
      }
    }
    const Lanes stump = least_of_each(stump_1, stump_0);
    out.stump_1[f] = out.stump_1[f] < stump[0] ? out.stump_1[f] : stump[0];
    out.stump_0[f] = out.stump_0[f] < stump[1] ? out.stump_0[f] : stump[1];
    if constexpr (kDeeper) {
      const Lanes deeper = least_of_each(deeper_1, deeper_0);
      out.deeper_1[f] = out.deeper_1[f] < deeper[0] ? out.deeper_1[f] : deeper[0];
      out.deeper_0[f] = out.deeper_0[f] < deeper[1] ? out.deeper_0[f] : deeper[1];
    }
  }
}

OPTITREE_MULTIVERSION
void sweep_stumps(const Input& in, const Rates& rates, bool by_rows, const Output& out) {
  if (by_rows) sweep<false, true>(in, rates, out);
  else sweep<false, false>(in, rates, out);
}

OPTITREE_MULTIVERSION
void sweep_stumps_and_bounds(const Input& in, const Rates& rates, bool by_rows, const Output& out) {
  if (by_rows) sweep<true, true>(in, rates, out);
  else sweep<true, false>(in, rates, out);
}

}  // namespace

void SideCosts::take_rows(const PairTable& table, std::size_t count) {
  count_ = count;
  const std::size_t room = count + kLanes;
  for (std::size_t k = count; k < room; ++k) rows_[k] = rows_[count == 0 ? 0 : count - 1];
  if (weight_.size() < room) {
    for (auto* lane : {&weight_, &sum_, &square_, &last_}) lane->resize(room);
    for (const int side : {0, 1}) {
      for (auto* costs : {&leaf_[side], &stump_[side], &deeper_[side]}) costs->resize(room);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Cell& cell = table.diagonal(rows_[k]);
    weight_[k] = cell.lanes[0];
    sum_[k] = cell.lanes[1];
    square_[k] = cell.lanes[2];
    last_[k] = cell.lanes[3];
  }
}

template <typename Sweep>
void SideCosts::run(Sweep sweep, const PairTable& table, const Cell& total, const Problem& problem,
                    const Options& options) {
  const double lambda = problem.regularization();
  const Rates rates{lambda, split_cost(lambda, options), problem.least_size(), options.leaf_count};
  const Input in{table.row(0), table.dimension(), rows_.data(), count_,     weight_.data(),
                 sum_.data(),  square_.data(),    last_.data(), total.lanes};
  const Output out{leaf_[1].data(),  leaf_[0].data(),   stump_[1].data(),
                   stump_[0].data(), deeper_[1].data(), deeper_[0].data()};
  sweep(in, rates, !problem.has_prices(), out);
}

void SideCosts::measure(const PairTable& table, const Cell& total, const Problem& problem,
                        const Options& options, bool want_deeper) {
  const std::size_t rows = table.dimension();
  if (rows_.size() < rows + kLanes) rows_.resize(rows + kLanes);
  std::iota(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(rows), 0U);
  take_rows(table, rows);
  if (want_deeper && options.pairs) {
    run(sweep_stumps_and_bounds, table, total, problem, options);
    return;
  }
  run(sweep_stumps, table, total, problem, options);
  const double least = split_cost(problem.regularization(), options);
  const double any = options.leaf_count ? least + problem.regularization() : least;
  for (auto& deeper : deeper_) std::ranges::fill(deeper, any);
}

DepthTwo SideCosts::best_of_depth_two(const PairTable& table, const Cell& total,
                                      const Problem& problem, const Options& options) {
  const std::size_t rows = table.dimension();
  if (rows_.size() < rows + kLanes) rows_.resize(rows + kLanes);
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {  // rows that can split: the others cost time
    rows_[count] = row;
    const Cell& ones = table.diagonal(row);
    count += problem.can_be_leaf(ones) && problem.can_be_leaf(total - ones);
  }
  take_rows(table, count);
  run(sweep_stumps, table, total, problem, options);
  double best = leaf_cost(total, problem.regularization());
  std::size_t at = count;
  for (std::size_t k = 0; k < count; ++k) {
    const double cost = std::min(leaf_[1][k], stump_[1][k]) + std::min(leaf_[0][k], stump_[0][k]);
    if (cost < best) best = cost, at = k;
  }
  if (at == count) return {best, 1};
  const auto leaves = [&](int side) { return stump_[side][at] < leaf_[side][at] ? 2U : 1U; };
  return {best, leaves(0) + leaves(1)};
}

}  // namespace optitree
