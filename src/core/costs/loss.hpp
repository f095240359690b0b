// A loss: all that the core asks of one. Each has a folder of its own; losses.cpp lists them.
#pragma once

#include <memory>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "costs/exchange.hpp"
#include "costs/node_costs.hpp"
#include "costs/prices.hpp"
#include "problem/conjunction.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"

namespace optitree {

// What a leaf predicts, and what that loses; unscaled, the loss inside groups included.
struct Prediction {
  double value;
  double loss;
};

class Loss {
 public:
  virtual ~Loss() = default;

  // Whether the targets must be handed over one by one.
  virtual bool needs_points() const = 0;
  // The groups in the order and with the statistics that the search works with.
  virtual MeasuredGroups measure(const GroupData& table, const LeafSize& leaf_size) const = 0;
  // The best single prediction for some groups; a mean is measured from the caller's origin.
  virtual Prediction predict(Members members, const Problem& problem,
                             const GroupData& table) const = 0;
  // For one thread.
  virtual std::unique_ptr<NodeCosts> node_costs(const Problem& problem, const Options& options,
                                                Pace& pace) const = 0;
  // Prices that start from a good tree; null where the loss has none. Only for problems that have
  // prices.
  virtual std::unique_ptr<Prices> prices(const Problem&, const Implications&, const Shape& /*tree*/,
                                         Pace&) const {
    return nullptr;
  }
  // A tree grown greedily in about so many seconds; null where the loss has no quick way to one.
  virtual std::shared_ptr<const Shape> greedy_tree(const Problem&, const Watch&,
                                                   double /*seconds*/) const {
    return nullptr;
  }
  // Splits of trees for others; null where the loss has no quick way to tell what they cost.
  virtual std::unique_ptr<Exchange> exchange(const Problem&, Pace&) const { return nullptr; }
};

inline Problem make_problem(const GroupData& table, const Restrictions& restrictions,
                            const Loss& loss) {
  const LeafSize leaf_size(table, restrictions.min_samples_leaf);
  return {table, restrictions, loss.measure(table, leaf_size)};
}

}  // namespace optitree
