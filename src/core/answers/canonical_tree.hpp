// The canonical tree among the best ones.
#pragma once

#include <memory>

#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"
#include "search/node_map.hpp"
#include "search/worker.hpp"

namespace optitree {

// With regularization 0 nearly every tree is tied with nearly every other. Ties are compared in
// full up to this many; after that the earliest feature of a node is taken.
inline constexpr int kMostTies = 20'000;

// For a finished search. Among equally good trees on a support the canonical one has fewest leaves,
// then least depth, then the earliest feature at its root; its subtrees are canonical in turn.
// Nothing in this definition depends on the order of the search.
class CanonicalTree {
 public:
  CanonicalTree(Worker& worker, const Problem& problem, const Watch& watch)
      : worker_(worker), problem_(problem), watch_(watch) {}

  // `cost` is the proven cost of the best tree. Null when the watch stopped before the end.
  std::shared_ptr<const Shape> find(double cost);

 private:
  using Subtree = std::shared_ptr<const Shape>;

  Subtree find(Node& node, double cost);
  Subtree find_child(const Node& node, const Split& split, int side);
  bool tied(Node& node, Split& split, double cost);

  Worker& worker_;
  const Problem& problem_;
  const Watch& watch_;
  const Subtree leaf_ = std::make_shared<const Shape>();
  int ties_ = 0;
  NodeMap<Subtree> found_;
};

}  // namespace optitree
