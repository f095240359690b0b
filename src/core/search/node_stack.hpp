// Nodes under search: supports with their pair statistics, kept on a stack of two per level.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "costs/squared/depth_two.hpp"
#include "problem/conjunction.hpp"
#include "problem/pair_table.hpp"
#include "problem/problem.hpp"
#include "search/cache.hpp"

namespace optitree {

// One side of a split, known by its statistics until it has to be opened itself.
struct Child : Bounds {
  std::uint64_t hash;
  std::uint32_t groups;
  double leaf;
};

// A split of a node by the feature in one row of its axis; children by the value of the feature.
struct Split {
  std::uint32_t row;
  Literal literal;  // feature = 0; + 1 for feature = 1
  Child child[2];

  double lower() const { return child[0].lower + child[1].lower; }
  double upper() const { return child[0].upper + child[1].upper; }
  Depth height() const {
    const int tallest = std::max(child[0].height, child[1].height);
    return static_cast<Depth>(std::min<int>(1 + tallest, kNoDepthLimit));
  }
  std::uint32_t leaves() const { return child[0].leaves + child[1].leaves; }
  int smaller() const { return child[1].groups <= child[0].groups ? 1 : 0; }
};

struct Node {
  Members members;   // groups, in order of their means
  PointList points;  // theirs, under other losses than squared error
  Conjunction path;  // literals that lead here
  std::uint64_t hash = 0;
  Cell total;
  double leaf = 0;                    // cost of a leaf
  PairTable raw;                      // over the axis of the parent
  PairTable table;                    // over its own axis
  std::vector<std::uint32_t> axis;    // features that can split this support, ascending
  std::vector<std::uint64_t> mask;    // the same as bits
  std::vector<std::uint32_t> row_of;  // feature of the axis to its row
  SideCosts costs;
  std::vector<Split> splits;

  // The support of a child, not written out.
  Support support(const Split& split, int side) const {
    return {split.child[side].hash, split.child[side].groups, members, path,
            split.literal + static_cast<Literal>(side)};
  }
  Cell total_of(const Split& split, int side) const {
    const Cell& ones = table.diagonal(split.row);
    return side == 1 ? ones : total - ones;
  }

 private:
  friend class NodeStack;
  // Whose child the members and the raw table belong to: an opening of the parent and a literal.
  struct Origin {
    std::uint64_t opening = 0;
    Literal literal = 0;
    bool operator==(const Origin&) const = default;
  };

  std::vector<std::uint32_t> storage_;  // of the members
  std::vector<std::uint32_t> point_storage_;
  std::uint64_t opening_ = 0;  // a number of its own each time the axis is chosen
  Origin members_of_;
  Origin points_of_;
  Origin raw_of_;
  const Node* raw_parent_ = nullptr;
  std::vector<std::uint32_t> kept_;  // rows of `raw` that make up the axis
  std::size_t table_bytes_ = 0;
};

class NodeStack {
 public:
  NodeStack(const Problem& problem, const Options& options, Watch& watch, Pace& pace);

  Node& root() { return at(0, 0); }
  // The children of a node live in the next level of the stack, both sides of one split at once;
  // anything deeper is overwritten. What they need is made on demand:
  // - the groups of a child;
  Members members(const Node& node, const Split& split, int side, std::size_t level);
  // - their points;
  PointList points(const Node& node, const Split& split, int side, std::size_t level);
  // - its pair statistics over the axis of the node, by whichever is cheaper: counting its groups,
  //   or subtracting its sibling's from the node's. Null when the watch stopped before the end;
  const PairTable* count_pairs(const Node& node, const Split& split, int side, std::size_t level);
  bool count_pairs_of_root();  // again only if prices have changed
  // About the nanoseconds that counting the pairs of so many groups takes.
  std::size_t work(std::size_t groups) const;
  // - all that is needed to open it, its pairs being counted.
  Node& enter(const Node& node, const Split& split, int side, std::size_t level,
              const Implications& implications);
  // Chooses the features that can split the node and selects their statistics.
  void choose_axis(Node& node);

 private:
  Node& at(std::size_t level, int slot);
  template <typename Holds>
  static std::span<const std::uint32_t> filter(std::span<const std::uint32_t> from,
                                               std::vector<std::uint32_t>& storage, Holds holds);
  bool afford_tables(Node& node, std::size_t axis);
  bool count(const Node& parent, const std::vector<std::uint64_t>& mask, Node& node);
  void drop_equal_features(Node& node);

  const Problem& problem_;
  const Options& options_;
  Watch& watch_;
  Pace& pace_;
  std::deque<std::array<Node, 2>> levels_;
  Node everything_;  // stands in for the parent of the root: its axis has all features
  std::vector<std::uint64_t> mask_;  // scratch
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_hash_;
  std::uint64_t openings_ = 0;
  std::size_t root_counted_ = 0;  // with which prices, + 1
};

}  // namespace optitree
