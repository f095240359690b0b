// One split of a tree for another, with the subtrees below it as they are.
#pragma once

#include <memory>

#include "problem/shape.hpp"

namespace optitree {

// All splits that a place of a tree can have cost about as much to look at as one of them, if the
// subtrees stay: where each group ends up below is the same for all. So a tree can be led a long
// way before anything is solved exactly. Nothing is proven by it.
class Exchange {
 public:
  virtual ~Exchange() = default;
  using Tree = std::shared_ptr<const Shape>;

  // A tree that costs no more: leaves are split and branches cut where that pays, and at no place
  // would another split be better for the subtrees that are there. The same tree if it is one.
  virtual Tree settle(const Tree& tree) = 0;
  // A tree that costs less: another split is tried somewhere, and what is below it settled. Null if
  // the pace was halted first, or all splits of this tree have been tried.
  virtual Tree better(const Tree& tree) = 0;
};

}  // namespace optitree
