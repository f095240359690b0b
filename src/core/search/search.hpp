// The search as a whole: rounds of proving, with prices, rungs and better trees between them, in
// one thread or several.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "search/anytime.hpp"
#include "search/pricing.hpp"
#include "search/shared.hpp"
#include "search/task.hpp"
#include "search/worker.hpp"

namespace optitree {

class Search {
 public:
  // `several`: the search will be run at more than one regularization.
  Search(Problem& problem, Watch& watch, const Task& task, bool several = false);

  // Proves the root, or stops at a limit with valid bounds.
  Bounds run();
  // The same at another regularization, with all that is known from before. Only trees that are
  // better than a known one are looked for: if there are none, the upper bound is that of `known`.
  Bounds run_again(double regularization, const Bounds& known);
  // The thread that started the search: trees are read off in it.
  Worker& leader() { return workers_.front(); }
  // The best tree that was kept on the way, at the regularization of run(). Null if there is none.
  const std::shared_ptr<const Shape>& best_kept() const { return anytime_.best().tree(); }
  // The largest depth for which no tree is better than one of this cost.
  Depth proven_depth(double cost) const { return shared_.proven_depth(cost); }
  // The best prices there are, by group of the problem; null if there are none.
  const std::vector<double>* prices() const { return pricing_.best(); }
  Progress progress() const;

 private:
  void prove();
  bool search_once(std::size_t helpers);
  void work_beside();
  void improve_prices();
  bool late() const;
  double searched() const;
  double searched_alone() const;
  double spent() const;
  double spent_alone() const;

  Problem& problem_;
  const Options& options_;
  Watch& watch_;
  Shared shared_;
  std::deque<Worker> workers_;
  Pricing pricing_;
  Anytime anytime_;
  const bool several_;
  bool better_prices_ = false;
  std::size_t helped_ = 0;   // work of the other threads when they last came back,
  std::size_t helping_ = 0;  // and since then
  double begin_alone_ = 0;   // work done before this run, by the leader
  double begin_helped_ = 0;  // and by the others
};

}  // namespace optitree
