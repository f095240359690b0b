// Better and better trees, long before one is proven to be the best.
#pragma once

#include <cstddef>
#include <memory>

#include "problem/shape.hpp"
#include "search/improvement.hpp"
#include "search/incumbent.hpp"
#include "search/other_trees.hpp"
#include "search/shared.hpp"
#include "search/worker.hpp"

namespace optitree {

// Takes the best tree known, exchanges its splits as long as that pays and solves its subtrees
// again, with few splits below each place. When nothing gets better, by turns: with more splits
// below, with another split somewhere in it that the search knows well, and with any other split
// somewhere that leaves the subtrees below as they are.
// Work of the thread that started the search.
class BetterTrees {
 public:
  BetterTrees(Shared& shared, Worker& leader)
      : shared_(shared),
        leader_(leader),
        others_(leader, shared.problem, shared.watch),
        exchange_(shared.loss.exchange(shared.problem, leader.pace())) {}

  // Trees that are quickly had.
  void begin();
  // The best that the search has found so far. What it knows now makes other trees.
  void read_off();
  // Goes on as long as all of its work is no more than usual, or than the most where it is
  // fruitful.
  void go_on(double usual, double most);

  const Incumbent& best() const { return incumbent_; }
  double spent() const { return spent_; }

 private:
  using Tree = std::shared_ptr<const Shape>;
  struct Improved {
    Tree tree;
    double cost = 0;
    Depth splits = 0;  // below each place, the next time
  };

  bool deepen(double until);
  bool widen(double until);
  bool exchange(double until);
  bool by_turns(double until);
  void take_best();
  bool improve(Improved& at, double until);
  Improved offer(Tree tree);

  Shared& shared_;
  Worker& leader_;
  Incumbent incumbent_;
  Improved best_, other_;
  OtherTrees others_;
  const std::unique_ptr<Exchange> exchange_;  // null under some losses
  Improvement::AllSettled settled_;
  // Work on more splits, on other trees, and on exchanges.
  double deep_ = 0, wide_ = 0, exchanged_ = 0;
  double spent_ = 0;
  double found_at_ = 0;  // what had been spent when the last better tree was found
};

}  // namespace optitree
