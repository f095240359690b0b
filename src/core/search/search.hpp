// The search as a whole: a seed, then rounds of proving and pricing, in one thread or several.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "costs/prices.hpp"
#include "problem/problem.hpp"
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
  Progress progress() const;

 private:
  void prove();
  bool search_once(std::size_t helpers, bool priced);
  bool improve_prices();
  double searched() const;
  std::size_t spent() const;

  static constexpr double kAllowance = 10;
  // When the cache knows much already, there is little else to do than to improve prices.
  static constexpr double kAllowanceAgain = 40;

  Problem& problem_;
  const Options& options_;
  Watch& watch_;
  Shared shared_;
  std::deque<Worker> workers_;
  std::unique_ptr<Prices> prices_;
  std::size_t helped_ = 0;   // work of the other threads when they last came back,
  std::size_t helping_ = 0;  // and since then
  // Of this run:
  std::size_t begin_ = 0;          // work done before it
  std::size_t pricing_ = 0;        // work spent on prices
  std::size_t last_pass_ = 0;      // the part of it that the last improvement took
  double allowance_ = kAllowance;  // how much it may be, as a multiple of the work of the search
};

}  // namespace optitree
