#include "costs/squared/depth_two.hpp"

#include <algorithm>
#include <numeric>

#include "costs/leaf_bounds.hpp"
#include "costs/squared/leaf_cost.hpp"

namespace optitree {

namespace {

// What a sweep reads: the cells of a table at `count` of its positions, and their diagonal.
struct Input {
  const Cell* cells;
  std::size_t dimension;
  const std::uint32_t* positions;  // ascending, then kLanes more of whatever
  std::size_t count;
  const double *weight, *sum, *square, *last;
  Lanes total;
};

struct Output {
  double *leaf_1, *leaf_0;
  double *stump_1, *stump_0;
  double *deeper_1, *deeper_0;
};

// What leaves and splits cost at least.
struct Charges {
  double lambda;
  double split_cost;  // least cost of a subtree that is not a leaf
  double least_size;  // of a leaf
  bool leaf_count;
};

// The same quadrant for four second features: weights, sums, squares and the last lane.
struct Quadrants {
  Lanes weight, sum, square, last;
};

OPTITREE_INLINE Quadrants operator-(const Quadrants& a, const Quadrants& b) {
  return {a.weight - b.weight, a.sum - b.sum, a.square - b.square, a.last - b.last};
}
OPTITREE_INLINE Quadrants turn(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) {
  const Lanes ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Lanes ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lanes cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Lanes cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
          __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
          __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
          __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
}

// The charges in every lane. Where the last lane of a cell counts rows (kRows) there are no prices.
template <bool kRows>
struct LaneCharges {
  Lanes infinity, lambda, least_size, split_cost;
  bool leaf_count;

  // Quadrants as leaves; infinite where one is too small, or not `there`.
  OPTITREE_INLINE Lanes leaf(const Quadrants& q, const LaneMask& there) const {
    const LaneMask feasible = ((kRows ? q.last : q.weight) >= least_size) & there;
    const Lanes cost = lambda + (q.square - q.sum * q.sum / q.weight);
    return feasible ? cost : infinity;
  }

  // The least that quadrants cost, however they go on, and if they are split (NodeCosts).
  struct Pieces {
    Lanes any, split;
  };
  OPTITREE_INLINE Pieces pieces(const Quadrants& q, const Lanes& as_leaf) const {
    const Lanes price = kRows ? Lanes{} : q.last;
    const Lanes any = most(least(as_leaf, split_cost), price);
    return {any, leaf_count ? most(split_cost, price) : any};
  }
  OPTITREE_INLINE Lanes together(const Pieces& a, const Pieces& b, const Lanes& as_leaves) const {
    const Lanes cost = least(a.any + b.split, a.split + b.any);
    return as_leaves < infinity ? cost : infinity;
  }
};

// Sides as leaves; nothing is known yet of what they can be split into.
template <bool kDeeper>
OPTITREE_INLINE void begin(const Input& in, const Lanes& lambda, const Output& out) {
  const Lanes infinity = Lanes{} + kInfinity;
  for (std::size_t k = 0; k < in.count; k += kLanes) {
    const Lanes w = load(in.weight + k), s = load(in.sum + k), q = load(in.square + k);
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
}

OPTITREE_INLINE void improve(double& known, double cost) { known = known < cost ? known : cost; }
OPTITREE_INLINE void improve(double* known, const Lanes& cost) {
  store(known, least(load(known), cost));
}

// Four second features at a time, for every first feature: the four quadrants of each pair as
// leaves, and what the sides of both features can be made of.
template <bool kDeeper, bool kRows>
OPTITREE_INLINE void sweep(const Input& in, const Charges& charges, const Output& out) {
  const Lanes zero{};
  const LaneCharges<kRows> charge{zero + kInfinity, zero + charges.lambda,
                                  zero + charges.least_size, zero + charges.split_cost,
                                  charges.leaf_count};
  begin<kDeeper>(in, charge.lambda, out);
  for (std::size_t f = 0; f + 1 < in.count; ++f) {
    const std::size_t at = in.positions[f];
    const Cell* line = in.cells + (at * in.dimension - at * (at + 1) / 2);
    const Quadrants with_f{zero + in.weight[f], zero + in.sum[f], zero + in.square[f],
                           zero + in.last[f]};
    const Quadrants without_f{in.total[0] - with_f.weight, in.total[1] - with_f.sum,
                              in.total[2] - with_f.square, in.total[3] - with_f.last};
    Lanes stump_1 = charge.infinity, stump_0 = stump_1, deeper_1 = stump_1, deeper_0 = stump_1;
    for (std::size_t h = f + 1; h < in.count; h += kLanes) {
      const std::uint32_t* second = in.positions + h;
      const Quadrants with_h{load(in.weight + h), load(in.sum + h), load(in.square + h),
                             load(in.last + h)};
      const Quadrants both = turn(line[second[0]].lanes, line[second[1]].lanes,
                                  line[second[2]].lanes, line[second[3]].lanes);
      const Quadrants only_f = with_f - both;
      const Quadrants only_h = with_h - both;
      const Quadrants neither = without_f - only_h;
      const LaneMask there = Lanes{0, 1, 2, 3} < zero + static_cast<double>(in.count - h);
      const Lanes leaf_both = charge.leaf(both, there), leaf_f = charge.leaf(only_f, there),
                  leaf_h = charge.leaf(only_h, there), leaf_neither = charge.leaf(neither, there);
      const Lanes f_1 = leaf_both + leaf_f, f_0 = leaf_h + leaf_neither;
      const Lanes h_1 = leaf_both + leaf_h, h_0 = leaf_f + leaf_neither;
      stump_1 = least(stump_1, f_1);
      stump_0 = least(stump_0, f_0);
      improve(out.stump_1 + h, h_1);
      improve(out.stump_0 + h, h_0);
      if constexpr (kDeeper) {
        const auto p_both = charge.pieces(both, leaf_both), p_f = charge.pieces(only_f, leaf_f),
                   p_h = charge.pieces(only_h, leaf_h),
                   p_neither = charge.pieces(neither, leaf_neither);
        deeper_1 = least(deeper_1, charge.together(p_both, p_f, f_1));
        deeper_0 = least(deeper_0, charge.together(p_h, p_neither, f_0));
        improve(out.deeper_1 + h, charge.together(p_both, p_h, h_1));
        improve(out.deeper_0 + h, charge.together(p_f, p_neither, h_0));
      }
    }
    const Lanes stump = least_of_each(stump_1, stump_0);
    improve(out.stump_1[f], stump[0]);
    improve(out.stump_0[f], stump[1]);
    if constexpr (kDeeper) {
      const Lanes deeper = least_of_each(deeper_1, deeper_0);
      improve(out.deeper_1[f], deeper[0]);
      improve(out.deeper_0[f], deeper[1]);
    }
  }
}

OPTITREE_MULTIVERSION
void sweep_stumps(const Input& in, const Charges& charges, bool by_rows, const Output& out) {
  if (by_rows) sweep<false, true>(in, charges, out);
  else sweep<false, false>(in, charges, out);
}

OPTITREE_MULTIVERSION
void sweep_stumps_and_bounds(const Input& in, const Charges& charges, bool by_rows,
                             const Output& out) {
  if (by_rows) sweep<true, true>(in, charges, out);
  else sweep<true, false>(in, charges, out);
}

}  // namespace

// Of the first `count` of positions_.
void DepthTwoFromPairs::take_diagonal(const Region& region, std::size_t count) {
  count_ = count;
  const std::size_t room = count + kLanes;
  for (std::size_t k = count; k < room; ++k) {
    positions_[k] = positions_[count == 0 ? 0 : count - 1];
  }
  if (weight_.size() < room) {
    for (auto* lane : {&weight_, &sum_, &square_, &last_}) lane->resize(room);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Cell& cell = region.pairs.diagonal(positions_[k]);
    weight_[k] = cell.lanes[0];
    sum_[k] = cell.lanes[1];
    square_[k] = cell.lanes[2];
    last_[k] = cell.lanes[3];
  }
}

template <typename Sweep>
void DepthTwoFromPairs::run(Sweep sweep, const Region& region, SideCosts& costs) {
  costs.make_room(count_ + kLanes);
  const double lambda = problem_.regularization();
  const Charges charges{lambda, split_cost(lambda, options_), problem_.leaf_size().least,
                        options_.leaf_count};
  const Input in{.cells = region.pairs.line(0),
                 .dimension = region.pairs.dimension(),
                 .positions = positions_.data(),
                 .count = count_,
                 .weight = weight_.data(),
                 .sum = sum_.data(),
                 .square = square_.data(),
                 .last = last_.data(),
                 .total = region.total.lanes};
  const Output out{.leaf_1 = costs.leaf[1].data(),
                   .leaf_0 = costs.leaf[0].data(),
                   .stump_1 = costs.stump[1].data(),
                   .stump_0 = costs.stump[0].data(),
                   .deeper_1 = costs.deeper[1].data(),
                   .deeper_0 = costs.deeper[0].data()};
  sweep(in, charges, problem_.leaf_size().counts_rows(), out);
}

void DepthTwoFromPairs::measure(const Region& region, bool want_deeper, SideCosts& costs) {
  const std::size_t positions = region.pairs.dimension();
  make_room(positions_, positions + kLanes);
  std::iota(positions_.begin(), positions_.begin() + static_cast<std::ptrdiff_t>(positions), 0U);
  take_diagonal(region, positions);
  if (want_deeper && options_.pairs) {
    run(sweep_stumps_and_bounds, region, costs);
    return;
  }
  run(sweep_stumps, region, costs);
  const double least = split_cost(problem_.regularization(), options_);
  const double any = options_.leaf_count ? least + problem_.regularization() : least;
  for (auto& deeper : costs.deeper) std::ranges::fill(deeper, any);
}

DepthTwo DepthTwoFromPairs::best(const Region& region) {
  const std::size_t positions = region.pairs.dimension();
  make_room(positions_, positions + kLanes);
  std::size_t count = 0;
  for (std::uint32_t at = 0; at < positions; ++at) {  // those that can split: others cost time
    positions_[count] = at;
    const Cell& ones = region.pairs.diagonal(at);
    count += problem_.can_be_leaf(ones) && problem_.can_be_leaf(region.total - ones);
  }
  take_diagonal(region, count);
  run(sweep_stumps, region, of_child_);
  const auto& [leaf, stump, deeper] = of_child_;
  double best = region.leaf;
  std::size_t at = count;
  for (std::size_t k = 0; k < count; ++k) {
    const double cost = std::min(leaf[1][k], stump[1][k]) + std::min(leaf[0][k], stump[0][k]);
    if (cost < best) best = cost, at = k;
  }
  if (at == count) return {best, 1};
  const auto leaves = [&](int side) { return stump[side][at] < leaf[side][at] ? 2U : 1U; };
  return {best, leaves(0) + leaves(1)};
}

}  // namespace optitree
