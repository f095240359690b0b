// Pinball losses: a unit of error costs so much, depending on its direction. Absolute error is one.
#pragma once

#include <memory>

#include "costs/loss.hpp"
#include "costs/pinball/best_prediction.hpp"

namespace optitree {

// The cost of a leaf is measured along the points of its groups (pinball/depth_two.hpp). Cells have
// the weight, nothing, and the floor of the groups: what each costs alone. Weights of points and
// floors are on the grids of weights and squares (problem/exact_sums.hpp).
class PinballLoss : public Loss {
 public:
  explicit PinballLoss(const PinballRates& rates) : rates_(rates) {}

  bool needs_points() const override { return true; }
  MeasuredGroups measure(const GroupData& table, const LeafSize& leaf_size) const override;
  Prediction predict(Members members, const Problem& problem,
                     const GroupData& table) const override;
  std::unique_ptr<NodeCosts> node_costs(const Problem& problem, const Options& options,
                                        Pace& pace) const override;

 private:
  const PinballRates rates_;
};

}  // namespace optitree
