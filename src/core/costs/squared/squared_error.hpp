// Squared error: a leaf predicts the mean of its rows.
#pragma once

#include <memory>

#include "costs/loss.hpp"

namespace optitree {

// Cells have weight, sum and square: all that a leaf needs. Prices are carried in the last lane.
class SquaredError : public Loss {
 public:
  bool needs_points() const override { return false; }
  MeasuredGroups measure(const GroupData& table, const LeafSize& leaf_size) const override;
  Prediction predict(Members members, const Problem& problem,
                     const GroupData& table) const override;
  std::unique_ptr<NodeCosts> node_costs(const Problem& problem, const Options& options,
                                        Pace& pace) const override;
  std::unique_ptr<Prices> prices(const Problem& problem, const Implications& implications,
                                 const Shape& tree, Pace& pace) const override;
  std::shared_ptr<const Shape> greedy_tree(const Problem& problem, const Watch& watch,
                                           double seconds) const override;
  std::unique_ptr<Exchange> exchange(const Problem& problem, Pace& pace) const override;
};

}  // namespace optitree
