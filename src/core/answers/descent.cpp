#include "answers/descent.hpp"

#include <algorithm>
#include <iterator>

#include "answers/canonical_tree.hpp"
#include "answers/describe.hpp"
#include "search/read_off.hpp"

namespace optitree {

namespace {

Restrictions for_single_leaf(Restrictions restrictions) {
  restrictions.regularization = std::max(restrictions.regularization, 1.0);
  return restrictions;
}

}  // namespace

Descent::Descent(const Task& task, const Monitor& monitor)
    : task_(task),
      watch_(task.limits, monitor),
      problem_(make_problem(task.table, for_single_leaf(task.restrictions), *task.loss)),
      search_(problem_, watch_, task, true) {
  const double loss = problem_.root_loss() > 0 ? 1 : 0;
  const double r = problem_.regularization();
  const double cost = problem_.root_cost() - r;
  steps_.push_back({describe(Shape{}, problem_, task_), loss, cost, r, kInfinity, 1, 0});
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
  if (watch_.stopped() || !found.closed()) return false;
  if (!strictly_better(found.upper, upper.upper)) {
    known->low = std::min(known->low, regularization);
    return true;
  }
  Worker& leader = search_.leader();
  auto shape = CanonicalTree(leader, problem_, watch_).find(found.upper);
  if (shape == nullptr && !watch_.stopped()) {
    shape = ReadOff(leader, problem_, watch_).best_known(kInfinity);
  }
  if (shape == nullptr) return false;
  if (shape->leaves <= known->leaves) {  // a tie that rounding has broken
    known->low = std::min(known->low, regularization);
    return true;
  }
  Tree tree = describe(*shape, problem_, task_);
  const double loss = relative_loss(tree, problem_);
  const double cost = found.upper - regularization * shape->leaves;
  steps_.insert(std::next(known), {std::move(tree), loss, cost, regularization, regularization,
                                   shape->leaves, static_cast<Depth>(shape->depth)});
  return true;
}

}  // namespace optitree
