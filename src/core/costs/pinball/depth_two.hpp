// Costs of leaves under a pinball loss, and the exact best trees of depth two, by walks along the
// points of a support.
//
// With C(t) the weight of the points at or below t, and W that of all, a prediction m costs
//   integral over t < m of over C(t)  +  integral over t > m of under (W - C(t)),
// because a point y < m is counted in C(t) all the way from y to m, and a point y > m in W - C(t)
// all the way from m to y. Neither integrand can be less than the smaller of the two, and since one
// rises and the other falls there is an m at which it is the smaller everywhere. So a leaf costs
//   integral over t of min(over C(t), under (W - C(t))),
// a sum over the distances between neighbouring values. All terms are positive: nothing cancels.
// For a side of a split C is the weight on that side alone; one walk serves both sides of every
// feature.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "costs/node_costs.hpp"
#include "costs/pinball/best_prediction.hpp"

namespace optitree {

class DepthTwoAlongPoints {
 public:
  DepthTwoAlongPoints(const Problem& problem, const PinballRates& rates, const Options& options,
                      Pace& pace)
      : problem_(problem), rates_(rates), options_(options), pace_(pace) {}

  // As NodeCosts say. A side that costs no more than split_cost() as a leaf is best left a leaf;
  // nothing more is measured there: `stump` is infinite, and `deeper` is split_cost(), which holds
  // for stumps too.
  bool measure(const Region& region, Depth depth, SideCosts& costs);
  std::optional<DepthTwo> best(const Region& region);
  const std::vector<double>& two_leaves(const Region& region, std::uint32_t first, int side);

 private:
  // Points side by side: their weights, the distances to the next value, their bits by place.
  struct Steps {
    std::size_t count = 0;
    std::vector<double> weight, distance;
    std::vector<std::uint64_t> bits;

    void finish(std::size_t steps, double scale);
  };
  // By place: the cell where the feature is 1, and what the two sides cost as leaves: infinite if
  // one of them may not be a leaf.
  struct SideLeaves {
    std::vector<Cell> ones;
    std::vector<double> weight;  // of the ones
    std::vector<double> cost[2];
  };

  void choose_positions(const Region& region, bool all);
  void load(const Region& region);
  void part(std::size_t place);
  void walk(const Steps& steps, const Cell& total, std::size_t from, SideLeaves& sides);
  void walk_side(const Region& region, std::size_t first, int side, std::size_t from);
  void measure_leaves(const Region& region, SideCosts& costs);
  template <typename Alive>
  std::size_t put_first(Alive alive);
  bool measure_below(const Region& region, std::size_t alive, bool want_deeper, SideCosts& costs);

  const Problem& problem_;
  const PinballRates rates_;
  const Options& options_;
  Pace& pace_;
  std::vector<std::uint32_t> positions_;  // that are looked at, each in its place
  std::vector<std::uint32_t> place_;      // of a feature among them
  std::vector<std::uint64_t> mask_;       // their features
  std::size_t words_ = 0;                 // of the bits of a point
  std::size_t count_ = 0;                 // of the points of the support
  std::vector<double> value_, weight_;    // by point
  std::vector<std::uint64_t> bits_;
  Steps steps_[2];
  SideLeaves all_, sides_[2];
  SideCosts of_child_;  // of best()
  std::vector<double> two_leaves_;
};

}  // namespace optitree
