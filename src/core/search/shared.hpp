// What the threads of a search have in common. All they tell each other is in the cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "costs/loss.hpp"
#include "problem/conjunction.hpp"
#include "problem/problem.hpp"
#include "search/bounds.hpp"
#include "search/cache.hpp"
#include "search/in_progress.hpp"
#include "search/task.hpp"

namespace optitree {

struct Shared {
  // `several`: the search will be run at more than one regularization.
  Shared(Problem& p, Watch& w, const Task& task, bool several)
      : problem(p),
        watch(w),
        loss(*task.loss),
        table(task.table),
        options(task.options),
        threads(task.threads),
        cache(p, options, implications, w, threads, several) {}

  // Begins with what the root costs as a leaf: it is that, or it is split.
  void begin(double leaf);
  // Adds what a thread knows of the root: a tree, and what no tree is below.
  void report(const Bounds& bounds, double lower);
  Bounds root() const;
  // The distance between its bounds, as a share of the objective.
  double relative_gap() const;
  // No tree with at most so many splits on the way to a leaf costs less than `lower`.
  void prove_depth(Depth depth, double lower);
  // The largest depth for which no tree is better than one of this cost.
  Depth proven_depth(double cost) const;
  // Begins again with a tree that is known: only better ones are of interest.
  void restart(const Bounds& known);

  Problem& problem;
  Watch& watch;
  const Loss& loss;
  const GroupData& table;
  const Options& options;
  const std::size_t threads;
  Implications implications;
  Cache cache;
  InProgress in_progress;
  std::atomic<bool> unwind = false;  // asks the threads to come back
  double goal = kInfinity;           // what a tree must cost less than

 private:
  mutable std::mutex mutex_;
  Bounds root_;
  struct Rung {
    Depth depth;
    double lower;
  };
  std::vector<Rung> rungs_;
};

}  // namespace optitree
