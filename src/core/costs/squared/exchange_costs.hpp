// What a tree costs with each split there is above two subtrees, all at once, under squared error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"

namespace optitree {

class ExchangeCosts {
 public:
  ExchangeCosts(const Problem& problem, Pace& pace) : problem_(problem), pace_(pace) {}

  // For each literal: the cost on some groups of a tree that goes on with one subtree where it does
  // not hold, and with the other where it does; branches that do not pay for their leaves are cut.
  // Infinite if there is no such tree, and if the search was stopped.
  const std::vector<double>& measure(Members members, const Shape& where_not, const Shape& where);
  // What its arrays take.
  std::size_t bytes() const { return cells_.capacity() * sizeof(Cell); }

 private:
  // Of the subtrees; parents come before their children.
  struct Node {
    Literal holds;  // literal of feature = 1
    std::int32_t children[2];
    std::int32_t leaf;  // its number, or -1
  };
  struct Side {
    double cost = 0;
    Cell cell;
  };

  std::int32_t flatten(const Shape& tree);
  bool add(Members members);
  void add(std::uint32_t group);
  void add_up();
  bool parts(std::size_t feature) const;
  double cost_of(std::size_t root, std::size_t feature, bool ones);
  Side joined(const Side& zero, const Side& one) const;
  Side leaf(const Cell& cell) const;
  const Cell* row(std::int32_t leaf) const {
    return &cells_[static_cast<std::size_t>(leaf) * problem_.features()];
  }

  const Problem& problem_;
  Pace& pace_;
  std::vector<Node> nodes_;
  std::size_t second_ = 0;                      // where the nodes of the second subtree begin
  std::int32_t first_leaves_ = 0, leaves_ = 0;  // of the first, of both
  std::vector<Cell> cells_;   // a row for each leaf: of the groups in it where a feature is 1
  std::vector<Cell> totals_;  // of the groups in each leaf
  std::vector<Side> sides_;   // scratch, by node
  std::vector<double> costs_;
  std::size_t ones_ = 0;  // of groups that were added
};

}  // namespace optitree
