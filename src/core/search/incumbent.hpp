// The best tree known so far.
#pragma once

#include <memory>
#include <utility>

#include "problem/problem.hpp"
#include "problem/shape.hpp"

namespace optitree {

// Kept by the thread that started the search. Bounds tell what a tree costs; this is the tree.
class Incumbent {
 public:
  // Takes a tree if it is better than the one that is there. Whether it was.
  bool offer(std::shared_ptr<const Shape> tree, double cost) {
    if (tree_ != nullptr && !strictly_better(cost, cost_)) return false;
    tree_ = std::move(tree);
    cost_ = cost;
    return true;
  }

  // Null while there is none.
  const std::shared_ptr<const Shape>& tree() const { return tree_; }

 private:
  std::shared_ptr<const Shape> tree_;
  double cost_ = 0;
};

}  // namespace optitree
