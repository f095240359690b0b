// Optimal trees at one regularization after another, each search going on from those before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>

#include "common/options.hpp"
#include "common/tree.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "search/search.hpp"
#include "search/task.hpp"

namespace optitree {

// On the way down the regularization falls by this factor at a time, and at last to its end: what
// is above is finished before the harder problems below begin.
inline double next_down(double regularization, double end) {
  constexpr double kFactor = 2, kSmallest = 1e-7;
  const double next = regularization / kFactor;
  return next > std::max(end, kSmallest) ? next : end;
}

// A tree that is proven optimal at every regularization from `low` to `high`.
struct Step {
  Tree tree;
  double loss;  // in units of the root loss
  double cost;  // the same above the floor, as the search counts it (problem/exact_sums.hpp)
  double low;
  double high;
  std::uint32_t leaves;
  Depth height;
};

// The cost of the best tree is the smallest of the lines loss(T) + r leaves(T), a concave function
// of the regularization r. Two optimal trees cross at one r; if no tree is better there, none is
// optimal between them, and r is where one takes over from the other. A better one splits the
// segment in two.
class Descent {
 public:
  using Steps = std::list<Step>;
  using At = Steps::iterator;

  // Begins with the single leaf, which is optimal where r >= 1: a second leaf costs more than all
  // the loss there is.
  // The task outlives it; `monitor` stands in for its own.
  Descent(const Task& task, const Monitor& monitor);

  // The optimal trees found so far, from few leaves to many.
  Steps& steps() { return steps_; }
  // Where `few` and `many` cost the same.
  static double crossing(const Step& few, const Step& many) {
    return (few.cost - many.cost) / static_cast<double>(many.leaves - few.leaves);
  }
  // Solves at a regularization where no known tree is better than `known` and where only trees with
  // more leaves can be. A better one becomes the step after `known`. False without a proof. Costs
  // are compared as the search counts them: rounding must not make a tree better than itself.
  bool solve_at(double regularization, At known);

  Problem& problem() { return problem_; }
  Watch& watch() { return watch_; }
  Search& search() { return search_; }
  // What no tree is below at the last regularization.
  double lower_bound() const { return lower_bound_; }

 private:
  const Task& task_;
  Watch watch_;  // before the problem: the time that this takes counts
  Problem problem_;
  Search search_;
  Steps steps_;
  double lower_bound_ = 0;
  bool begun_ = false;
};

}  // namespace optitree
