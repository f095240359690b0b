// A node under search: a support with all that is known of its splits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "costs/node_costs.hpp"
#include "problem/axis.hpp"
#include "problem/conjunction.hpp"
#include "problem/pair_table.hpp"
#include "problem/problem.hpp"
#include "search/bounds.hpp"
#include "search/support.hpp"

namespace optitree {

// One side of a split, known by its statistics until it has to be opened itself.
struct Child : Bounds {
  std::uint64_t hash;
  std::uint32_t groups;
  double leaf;
};

// A split of a node by the feature at one position of its axis; children by the value of the
// feature.
struct Split {
  std::uint32_t position;
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
  Literal literal_of(int side) const { return literal + static_cast<Literal>(side); }
};

struct Node {
  std::size_t level = 0;  // of the stack: 0 for the root
  // Set when it is entered:
  Depth depth = 0;          // splits that are left
  Members members;          // groups, in order of their means
  PointList points;         // theirs, where the loss needs them
  Conjunction conjunction;  // of the literals that lead here
  std::uint64_t hash = 0;
  Cell total;
  double leaf = 0;    // cost of a leaf
  PairTable counted;  // pair statistics, over the axis of the parent
  // Set when it is opened:
  Axis axis;        // features that can split this support
  PairTable pairs;  // pair statistics, over its own axis
  SideCosts costs;
  std::vector<Split> splits;

  Region region() const { return {points, pairs, axis, total, leaf}; }
  // The support of a child, not written out.
  Support support(const Split& split, int side) const {
    return {split.child[side].hash, split.child[side].groups, members, conjunction,
            split.literal_of(side)};
  }
  Cell total_of(const Split& split, int side) const {
    const Cell& ones = pairs.diagonal(split.position);
    return side == 1 ? ones : total - ones;
  }

 private:
  friend class NodeStack;
  // Whose child the members and the counted pairs belong to: an opening of the parent and a
  // literal.
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
  Origin counted_of_;
  const Axis* counted_over_ = nullptr;
  std::vector<std::uint32_t> kept_;  // positions of `counted` that make up the axis
  std::size_t table_bytes_ = 0;
};

}  // namespace optitree
