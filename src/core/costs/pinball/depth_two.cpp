#include "costs/pinball/depth_two.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "common/lanes.hpp"
#include "common/room.hpp"
#include "costs/leaf_bounds.hpp"

namespace optitree {

namespace {

constexpr std::size_t kBlock = 2 * kLanes;  // places that a walk takes along at once
constexpr std::size_t kWorkPerStep = 4;     // of a block, in nanoseconds

// Four bits as lanes that are all ones or all zeros.
constexpr std::array<LaneMask, 16> make_masks() {
  std::array<LaneMask, 16> masks{};
  for (int bits = 0; bits < 16; ++bits) {
    masks[static_cast<std::size_t>(bits)] =
        LaneMask{bits & 1 ? -1 : 0, bits & 2 ? -1 : 0, bits & 4 ? -1 : 0, bits & 8 ? -1 : 0};
  }
  return masks;
}
alignas(32) constexpr std::array<LaneMask, 16> kMasks = make_masks();

// A walk, and where it leaves what it finds: for each place the integral of
// min(rate C(t), W - C(t)) over the side where it is 1, and over the other.
struct Walk {
  const double* weight;
  const double* distance;
  const std::uint64_t* bits;
  std::size_t words;
  std::size_t count;
  double rate;                // over / under
  double total;               // weight of all
  const double* ones_weight;  // by place
  double* ones;
  double* zeros;
};

// Four or eight places from `at` on. Eight go along as two halves side by side: the additions of
// one have to wait for those before them.
template <std::size_t kHalves>
OPTITREE_INLINE void walk_some(const Walk& walk, std::size_t at) {
  const Lanes zero{};
  Lanes ones[kHalves], zeros[kHalves], upto_1[kHalves], cost_1[kHalves], cost_0[kHalves];
  for (std::size_t half = 0; half < kHalves; ++half) {
    ones[half] = load(walk.ones_weight + at + half * kLanes);
    zeros[half] = walk.total - ones[half];
    upto_1[half] = cost_1[half] = cost_0[half] = zero;
  }
  Lanes upto = zero;
  const std::uint64_t* bits = walk.bits + at / 64;
  const std::size_t shift = at % 64;
  for (std::size_t k = 0; k < walk.count; ++k, bits += walk.words) {
    const Lanes weight = zero + walk.weight[k];
    const Lanes distance = zero + walk.distance[k];
    const std::uint64_t here = *bits >> shift;
    upto += weight;
    for (std::size_t half = 0; half < kHalves; ++half) {
      upto_1[half] += (Lanes)((LaneMask)weight & kMasks[(here >> (half * kLanes)) & 15]);
      const Lanes upto_0 = upto - upto_1[half];
      cost_1[half] += distance * least(walk.rate * upto_1[half], ones[half] - upto_1[half]);
      cost_0[half] += distance * least(walk.rate * upto_0, zeros[half] - upto_0);
    }
  }
  for (std::size_t half = 0; half < kHalves; ++half) {
    store(walk.ones + at + half * kLanes, cost_1[half]);
    store(walk.zeros + at + half * kLanes, cost_0[half]);
  }
}

// The places from `from` to `to`, beginning with the multiple of four at or before `from`; no block
// lies across two words.
OPTITREE_MULTIVERSION
void walk_all(const Walk& walk, std::size_t from, std::size_t to) {
  for (std::size_t at = from / kLanes * kLanes; at < to;) {
    const bool whole = at % kBlock == 0 && at + kLanes < to;
    if (whole) walk_some<2>(walk, at);
    else walk_some<1>(walk, at);
    at += whole ? kBlock : kLanes;
  }
}

}  // namespace

void DepthTwoAlongPoints::choose_positions(const Region& region, bool all) {
  positions_.clear();
  for (std::uint32_t at = 0; at < region.pairs.dimension(); ++at) {
    const Cell& ones = region.pairs.diagonal(at);
    if (all || (problem_.can_be_leaf(ones) && problem_.can_be_leaf(region.total - ones))) {
      positions_.push_back(at);
    }
  }
}

// Writes out the points with their bits by place.
void DepthTwoAlongPoints::load(const Region& region) {
  make_room(place_, problem_.features());
  mask_.assign(problem_.words(), 0);
  for (std::uint32_t place = 0; place < positions_.size(); ++place) {
    const std::uint32_t feature = region.axis[positions_[place]];
    place_[feature] = place;
    mask_[feature / 64] |= std::uint64_t{1} << (feature % 64);
  }
  words_ = positions_.size() / 64 + 1;
  const std::size_t count = region.points.size();
  make_room(value_, count);
  make_room(weight_, count);
  make_room(bits_, count * words_);
  for (std::size_t k = 0; k < count; ++k) {
    const Point& point = problem_.points()[region.points[k]];
    value_[k] = point.value;
    weight_[k] = point.weight;
    std::uint64_t* const bits = bits_.data() + k * words_;
    std::fill(bits, bits + words_, 0);
    const std::uint64_t* const features = problem_.bits(point.group);
    for (std::size_t word = 0; word < mask_.size(); ++word) {
      std::uint64_t ones = features[word] & mask_[word];
      for (; ones != 0; ones &= ones - 1) {
        const std::uint32_t place =
            place_[word * 64 + static_cast<std::size_t>(std::countr_zero(ones))];
        bits[place / 64] |= std::uint64_t{1} << (place % 64);
      }
    }
  }
  count_ = count;
  for (Steps& steps : steps_) {
    make_room(steps.weight, count);
    make_room(steps.distance, count);
    make_room(steps.bits, count * words_);
  }
}

// Makes steps of the loaded points, those with a 1 at the place apart from those with a 0.
void DepthTwoAlongPoints::part(std::size_t place) {
  std::size_t next[2] = {0, 0};
  for (std::size_t k = 0; k < count_; ++k) {  // no branch: which side a point takes is random
    const std::uint64_t* const bits = bits_.data() + k * words_;
    const auto side = static_cast<std::size_t>((bits[place / 64] >> (place % 64)) & 1);
    Steps& steps = steps_[side];
    const std::size_t at = next[side]++;
    steps.weight[at] = weight_[k];
    steps.distance[at] = value_[k];
    for (std::size_t word = 0; word < words_; ++word) steps.bits[at * words_ + word] = bits[word];
  }
  for (const int side : {0, 1}) steps_[side].finish(next[side], problem_.scale());
}

// Turns the values of so many steps into the distances between them.
void DepthTwoAlongPoints::Steps::finish(std::size_t steps, double scale) {
  count = steps;
  for (std::size_t k = 0; k + 1 < count; ++k) distance[k] = (distance[k + 1] - distance[k]) * scale;
  if (count > 0) distance[count - 1] = 0;
}

// What both sides of the places from `from` on cost as leaves, along some points.
void DepthTwoAlongPoints::walk(const Steps& steps, const Cell& total, std::size_t from,
                               SideLeaves& sides) {
  const std::size_t count = positions_.size();
  for (const int side : {0, 1}) make_room(sides.cost[side], count + kBlock);
  const Walk walk{
      steps.weight.data(),  steps.distance.data(),      steps.bits.data(), words_,
      steps.count,          rates_.over / rates_.under, total.weight(),    sides.weight.data(),
      sides.cost[1].data(), sides.cost[0].data()};
  walk_all(walk, from, count);
  pace_.spend(steps.count * ((count - from) / kBlock + 1) * kWorkPerStep);
  for (std::size_t place = from; place < count; ++place) {
    const Cell& ones = sides.ones[place];
    const Cell zeros = total - ones;
    const auto cost = [&](double integral, const Cell& cell) {
      if (!problem_.can_be_leaf(cell)) return kInfinity;
      return problem_.regularization() + (rates_.under * integral - cell.square());
    };
    sides.cost[1][place] = cost(sides.cost[1][place], ones);
    sides.cost[0][place] = cost(sides.cost[0][place], zeros);
  }
}

// The quadrants of the place `first` with those from `from` on, those on one side of it.
void DepthTwoAlongPoints::walk_side(const Region& region, std::size_t first, int side,
                                    std::size_t from) {
  SideLeaves& sides = sides_[side];
  make_room(sides.ones, positions_.size());
  make_room(sides.weight, positions_.size() + kBlock);
  const Cell& ones = region.pairs.diagonal(positions_[first]);
  for (std::size_t place = from; place < positions_.size(); ++place) {
    const Cell& both = region.pairs.at(positions_[first], positions_[place]);
    sides.ones[place] = side == 1 ? both : region.pairs.diagonal(positions_[place]) - both;
    sides.weight[place] = sides.ones[place].weight();
  }
  walk(steps_[side], side == 1 ? ones : region.total - ones, from, sides);
}

void DepthTwoAlongPoints::measure_leaves(const Region& region, SideCosts& costs) {
  make_room(all_.ones, positions_.size());
  make_room(all_.weight, positions_.size() + kBlock);
  for (std::size_t place = 0; place < positions_.size(); ++place) {
    all_.ones[place] = region.pairs.diagonal(positions_[place]);
    all_.weight[place] = all_.ones[place].weight();
  }
  load(region);
  Steps& steps = steps_[0];  // all of them
  std::copy_n(weight_.begin(), count_, steps.weight.begin());
  std::copy_n(value_.begin(), count_, steps.distance.begin());
  std::copy_n(bits_.begin(), count_ * words_, steps.bits.begin());
  steps.finish(count_, problem_.scale());
  walk(steps, region.total, 0, all_);
  costs.make_room(region.pairs.dimension());
  for (const int side : {0, 1}) {
    for (std::size_t place = 0; place < positions_.size(); ++place) {
      costs.leaf[side][positions_[place]] = all_.cost[side][place];
      costs.stump[side][positions_[place]] = kInfinity;
      costs.deeper[side][positions_[place]] = kInfinity;
    }
  }
}

// Every quadrant of two places serves the sides of both, so one is walked with those after it only.
// Those of which one side at least is wanted come first (`alive`), with all others after them.
bool DepthTwoAlongPoints::measure_below(const Region& region, std::size_t alive, bool want_deeper,
                                        SideCosts& costs) {
  if (alive == 0) return true;
  load(region);
  const double least = split_cost(problem_.regularization(), options_);
  const auto stumps = [](double& known, double a, double b) { known = std::min(known, a + b); };
  // As NodeCosts say, without prices.
  const auto deeper = [&](double& known, double a, double b) {
    const double any_a = std::min(a, least), any_b = std::min(b, least);
    const double cost = options_.leaf_count ? least + std::min(any_a, any_b) : any_a + any_b;
    if (a + b < kInfinity) known = std::min(known, cost);
  };
  for (std::size_t first = 0; first < alive && first + 1 < positions_.size(); ++first) {
    part(first);
    for (const int side : {0, 1}) walk_side(region, first, side, first + 1);
    if (pace_.halted()) return false;
    const std::uint32_t f = positions_[first];
    for (std::size_t place = first + 1; place < positions_.size(); ++place) {
      const std::uint32_t h = positions_[place];
      const double both = sides_[1].cost[1][place], only_f = sides_[1].cost[0][place];
      const double only_h = sides_[0].cost[1][place], neither = sides_[0].cost[0][place];
      const auto combine = [&](auto rule, std::vector<double>* known) {
        rule(known[1][f], both, only_f);
        rule(known[0][f], only_h, neither);
        rule(known[1][h], both, only_h);
        rule(known[0][h], only_f, neither);
      };
      combine(stumps, costs.stump);
      if (want_deeper) combine(deeper, costs.deeper);
    }
  }
  return true;
}

template <typename Alive>
std::size_t DepthTwoAlongPoints::put_first(Alive alive) {
  const auto rest = std::stable_partition(positions_.begin(), positions_.end(), alive);
  return static_cast<std::size_t>(rest - positions_.begin());
}

bool DepthTwoAlongPoints::measure(const Region& region, Depth depth, SideCosts& costs) {
  choose_positions(region, true);
  measure_leaves(region, costs);
  if (depth <= 1) return true;
  const double lambda = problem_.regularization();
  const double least = split_cost(lambda, options_);
  const auto open = [&](std::uint32_t at, int side) { return costs.leaf[side][at] > least; };
  const std::size_t alive = put_first([&](std::uint32_t at) { return open(at, 0) || open(at, 1); });
  const bool pairs = depth > 2 && options_.pairs;
  const bool complete = measure_below(region, alive, pairs, costs);
  const double any = complete && options_.leaf_count ? least + lambda : least;
  for (const std::uint32_t at : positions_) {
    for (const int side : {0, 1}) {
      if (!open(at, side)) {
        costs.stump[side][at] = kInfinity;
        costs.deeper[side][at] = least;
      } else if (!complete || !pairs) {
        costs.deeper[side][at] = any;
      }
    }
  }
  return complete;
}

std::optional<DepthTwo> DepthTwoAlongPoints::best(const Region& region) {
  choose_positions(region, false);
  measure_leaves(region, of_child_);
  const double least = split_cost(problem_.regularization(), options_);
  DepthTwo best{region.leaf, 1};
  const auto offer = [&](double cost, std::uint32_t leaves) {
    if (cost < best.cost) best = {cost, leaves};
  };
  const auto& [leaf, stump, deeper] = of_child_;
  for (const std::uint32_t at : positions_) offer(leaf[0][at] + leaf[1][at], 2);
  // A split whose sides cost too much even if they could be split for nothing is not the best one.
  const std::size_t alive = put_first([&](std::uint32_t at) {
    return (leaf[0][at] > least || leaf[1][at] > least) &&
           std::min(leaf[0][at], least) + std::min(leaf[1][at], least) < best.cost;
  });
  if (!measure_below(region, alive, false, of_child_)) return std::nullopt;
  for (std::size_t place = 0; place < alive; ++place) {
    const std::uint32_t at = positions_[place];
    const auto side = [&](int s) {
      return stump[s][at] < leaf[s][at] ? DepthTwo{stump[s][at], 2} : DepthTwo{leaf[s][at], 1};
    };
    const DepthTwo zero = side(0), one = side(1);
    offer(zero.cost + one.cost, zero.leaves + one.leaves);
  }
  return best;
}

const std::vector<double>& DepthTwoAlongPoints::two_leaves(const Region& region,
                                                           std::uint32_t first, int side) {
  choose_positions(region, true);
  load(region);
  part(first);
  walk_side(region, first, side, 0);
  two_leaves_.resize(positions_.size());
  for (std::size_t place = 0; place < positions_.size(); ++place) {
    two_leaves_[place] = sides_[side].cost[0][place] + sides_[side].cost[1][place];
  }
  return two_leaves_;
}

}  // namespace optitree
