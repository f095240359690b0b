// What a search that may be stopped does beside its proof: a ladder of depths, and better trees.
#pragma once

#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "search/better_trees.hpp"
#include "search/shared.hpp"
#include "search/worker.hpp"

namespace optitree {

// Work of the thread that started the search. Each part gets a share of the time there was, and
// goes on the next time where it was cut short: what it found is in the cache.
class Anytime {
 public:
  Anytime(Shared& shared, Worker& leader)
      : shared_(shared), leader_(leader), trees_(shared, leader) {}

  // Solves the problem for so many splits to a leaf, before anything else: two, and more where that
  // takes no more than a share of the time.
  void begin_with(Depth depth);
  // As much as is due after so much work in all, by all threads. Begins with trees that are quickly
  // had.
  void go_on(double work);

  // Whether even the rung after the next is not to be had in the time that is left: so no proof for
  // all depths is, as long as the bounds are what they are.
  bool out_of_reach() const;
  // What a rung is expected to take that has been put off.
  double put_off() const;

  const Incumbent& best() const { return trees_.best(); }
  double spent() const { return climbing_ + trees_.spent(); }

 private:
  void climb(double work);
  double due(double work) const;
  double expected() const;
  double growth() const;
  double left() const;
  bool in_reach(double work) const;

  Shared& shared_;
  Worker& leader_;
  BetterTrees trees_;
  Depth rung_ = 1;        // the next to be proven
  double begun_ = 0;      // work on it so far
  double last_rung_ = 0;  // work on the one before
  double climbing_ = 0;   // work on all
};

}  // namespace optitree
