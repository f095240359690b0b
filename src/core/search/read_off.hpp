// The best tree known, read off the bounds that a search has left in its cache.
#pragma once

#include <memory>

#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"
#include "search/worker.hpp"

namespace optitree {

// For a search that was stopped, or is not over yet. Where the cache knows no more, the tree is
// continued greedily with a lookahead of two splits.
class ReadOff {
 public:
  ReadOff(Worker& worker, const Problem& problem, const Watch& watch)
      : worker_(worker), problem_(problem), watch_(watch) {}

  // Goes on for about `seconds`, then finishes what it has.
  std::shared_ptr<const Shape> best_known(double seconds) { return read(seconds, true); }
  // That of a child of an open node, however long it takes. Null when halted.
  std::shared_ptr<const Shape> child(const Node& node, const Split& split, int side);
  // Opens an entered node, with what the search knows of it. Whether there is time before the
  // deadline to count the pairs of its children: if not, the best tree of depth two is read off
  // those of the node.
  bool look_at(Node& node, double deadline);
  // The best known that begins with this split of a node that was looked at.
  std::shared_ptr<const Shape> grow(const Node& node, const Split& split, bool in_time);
  // The best known of all without looking at what the search has found: now and then it comes out
  // better.
  std::shared_ptr<const Shape> by_lookahead(double seconds) { return read(seconds, false); }

 private:
  using Subtree = std::shared_ptr<const Shape>;

  Subtree read(double seconds, bool from_cache);
  Subtree read(Node& node);
  bool look_at(Node& node);
  Subtree read_child(const Node& node, const Split& split, int side);
  Subtree two_leaves(const Node& node, const Split& split, int side);

  Worker& worker_;
  const Problem& problem_;
  const Watch& watch_;
  const Subtree leaf_ = std::make_shared<const Shape>();
  double deadline_ = 0;
  bool from_cache_ = true;
};

}  // namespace optitree
