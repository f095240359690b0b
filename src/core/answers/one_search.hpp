// One search at one regularization, from the task to the solution.
#pragma once

#include "answers/solution.hpp"
#include "answers/trace.hpp"
#include "problem/problem.hpp"
#include "search/search.hpp"
#include "search/task.hpp"

namespace optitree {

// Without a limit on the number of leaves.
class OneSearch {
 public:
  // The task outlives it.
  explicit OneSearch(const Task& task);

  // The best tree, or at a limit the best that can be had, with valid bounds.
  Solution solve();

  // After solve(): whether there is a proof, the cost of the best tree above the floor, what asked
  // the search to stop (nothing: kOptimal), and the search itself.
  bool proven() const { return proven_; }
  double optimum() const { return bounds_.upper; }
  Status stop() const { return stop_; }
  Problem& problem() { return problem_; }
  Search& search() { return search_; }
  Watch& watch() { return watch_; }

 private:
  void take(Tree&& tree, Solution& solution) const;

  const Task& task_;
  Trace trace_;
  Watch watch_;  // before the problem: the time that this takes counts
  Problem problem_;
  Search search_;
  Bounds bounds_;
  bool proven_ = false;
  Status stop_ = Status::kOptimal;
};

}  // namespace optitree
