#include "answers/descent.hpp"

#include <algorithm>
#include <iterator>

#include "search/read_off.hpp"

namespace optitree {

namespace {

Restrictions for_single_leaf(Restrictions restrictions) {
  restrictions.regularization = std::max(restrictions.regularization, 1.0);
  return restrictions;
}

}  // namespace

Descent::Descent(const GroupTable& table, Restrictions restrictions, const Limits& limits,
                 const Options& options, const Monitor& monitor, std::size_t threads)
    : table_(table),
      problem_(table, for_single_leaf(restrictions)),
      watch_(limits, monitor),
      search_(problem_, options, watch_, threads, true),
      floor_(problem_.total() > 0 ? problem_.floor() / problem_.total() : 0) {
  const double loss = problem_.total() > 0 ? 1 : 0;
  const double r = problem_.regularization();
  steps_.push_back(
      {describe(Shape{}, problem_, table_), loss, root_cost(problem_) - r, r, kInfinity, 1, 0});
}

bool Descent::solve_at(double regularization, At known) {
  const Bounds upper{0, known->cost + regularization * known->leaves, known->height, known->leaves};
  Bounds found;
  if (begun_) {
    found = search_.run_again(regularization, upper);
  } else {
    begun_ = true;
    problem_.set_regularization(regularization);
    found = search_.run();
  }
  lower_bound_ = found.lower;
  if (watch_.stopped()) return false;
  if (!strictly_better(found.upper, upper.upper)) {
    known->low = std::min(known->low, regularization);
    return true;
  }
  Extraction extraction(search_.leader(), problem_, watch_);
  auto shape = extraction.canonical(found.upper);
  if (shape == nullptr && !watch_.stopped()) shape = extraction.best_known(kInfinity);
  if (shape == nullptr) return false;
  if (shape->leaves <= known->leaves) {  // a tie that rounding has broken
    known->low = std::min(known->low, regularization);
    return true;
  }
  Tree tree = describe(*shape, problem_, table_);
  const double loss = tree.loss() / problem_.total();
  const double cost = found.upper - regularization * shape->leaves;
  steps_.insert(std::next(known), {std::move(tree), loss, cost, regularization, regularization,
                                   shape->leaves, static_cast<Depth>(shape->depth)});
  return true;
}

}  // namespace optitree
