// The stack of nodes under search: two on each level, the sides of one split.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "search/node.hpp"

namespace optitree {

// The children of a node live on the next level; anything deeper is overwritten. What they need is
// made on demand.
class NodeStack {
 public:
  NodeStack(const Problem& problem, const Options& options, Watch& watch, Pace& pace);

  Node& root() { return at(0, 0); }
  // The root with its pairs counted, again only if prices have changed. Null when halted.
  Node* count_root();
  // The groups of a child, and their points.
  Members members(const Node& node, const Split& split, int side);
  PointList points(const Node& node, const Split& split, int side);
  // The pair statistics of a child over the axis of the node, by whichever is cheaper: counting its
  // groups, or subtracting its sibling's from the node's. Null when halted.
  const PairTable* count_pairs(const Node& node, const Split& split, int side);
  // The child as a node that can be opened, its pairs being counted.
  Node& enter(const Node& node, const Split& split, int side, const Implications& implications);
  // Chooses the features that can split the node and selects their statistics.
  void choose_axis(Node& node);
  // About the nanoseconds that it takes to count the pairs of both children of a split, and to make
  // trees of depth two of them.
  double work_of_split(const Node& node, const Split& split) const;
  // About the nanoseconds that counting the pairs of so many groups takes.
  std::size_t work(std::size_t groups) const;

 private:
  Node& at(std::size_t level, int side) {
    while (levels_.size() <= level) add_level();
    return (*levels_[level])[static_cast<std::size_t>(side)];
  }
  void add_level();
  template <typename Holds>
  static std::span<const std::uint32_t> filter(std::span<const std::uint32_t> from,
                                               std::vector<std::uint32_t>& storage, Holds holds);
  bool afford_tables(Node& node, std::size_t axis);
  bool count(const Axis& over, const std::vector<std::uint64_t>& mask, Node& node);
  bool by_heads(std::size_t groups, std::size_t features) const;
  void drop_equal_features(Node& node);

  const Problem& problem_;
  const Options& options_;
  Watch& watch_;
  Pace& pace_;
  std::vector<std::unique_ptr<std::array<Node, 2>>> levels_;  // nodes never move
  Axis everything_;                                           // all features
  bool chains_pay_ = false;                                   // at least where all groups are
  std::vector<std::uint64_t> mask_;                           // scratch
  std::vector<std::uint32_t> by_hash_;
  std::uint64_t openings_ = 0;
  std::size_t root_counted_ = 0;  // with which prices, + 1
};

}  // namespace optitree
