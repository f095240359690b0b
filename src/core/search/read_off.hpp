// Reads a tree off the bounds that a search has left in its cache.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/tree.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"
#include "search/worker.hpp"

namespace optitree {

// After a finished search: the canonical tree. Among equally good trees on a support it is the one
// with fewest leaves, then least depth, then the earliest feature at its root; its subtrees are
// canonical in turn. Nothing in this definition depends on the order of the search.
//
// After a search that was stopped: the best tree known, continued greedily with two levels of
// lookahead.
class Extraction {
 public:
  Extraction(Worker& worker, const Problem& problem, const Watch& watch)
      : worker_(worker), problem_(problem), watch_(watch) {}

  // `cost` is the proven cost of the best tree. Null when the watch stopped before the end.
  std::shared_ptr<const Shape> canonical(double cost);
  // Goes on for about `seconds`, then finishes what it has.
  std::shared_ptr<const Shape> best_known(double seconds);
  // The same without looking at what the search has found: now and then it comes out better.
  std::shared_ptr<const Shape> greedy(double seconds);

 private:
  using Subtree = std::shared_ptr<const Shape>;

  Subtree canonical(Node& node, Depth depth, double cost, std::size_t level);
  Subtree read_off(double seconds, bool from_cache);
  Subtree best_known(Node& node, Depth depth, std::size_t level);
  // Continues with a child: `go_on` is one of the two functions above.
  template <typename GoOn>
  Subtree descend(const Node& node, const Split& split, int side, std::size_t level, GoOn go_on);
  Subtree stump(const Node& node, const Split& split, int side);
  bool tied(Node& node, Split& split, Depth depth, double cost, std::size_t level);

  // With regularization 0 nearly every tree is tied with nearly every other. Ties are compared in
  // full up to this many; after that the earliest feature of a node is taken.
  static constexpr int kMostComparisons = 20'000;

  struct Memo {
    std::vector<std::uint32_t> members;
    Depth depth;
    Subtree subtree;
  };

  Worker& worker_;
  const Problem& problem_;
  const Watch& watch_;
  const Subtree leaf_ = std::make_shared<const Shape>();
  int comparisons_ = 0;
  double deadline_ = 0;
  bool from_cache_ = true;
  std::unordered_multimap<std::uint64_t, Memo> memo_;
};

// The shape with the caller's features and the statistics of every node.
Tree describe(const Shape& shape, const Problem& problem, const GroupTable& table);

}  // namespace optitree
