// The shape of a tree on the features of a problem.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "problem/problem.hpp"

namespace optitree {

// A subtree: which feature splits it, or none.
struct Shape {
  Literal literal = 0;                       // of feature = 0, in the coding of the problem
  std::shared_ptr<const Shape> children[2];  // by the value of the feature
  std::uint32_t leaves = 1;
  std::uint32_t depth = 0;

  bool is_leaf() const { return children[0] == nullptr; }
};

inline std::shared_ptr<const Shape> join(Literal literal, std::shared_ptr<const Shape> zero,
                                         std::shared_ptr<const Shape> one) {
  auto shape = std::make_shared<Shape>();
  shape->literal = literal;
  shape->leaves = zero->leaves + one->leaves;
  shape->depth = 1 + std::max(zero->depth, one->depth);
  shape->children[0] = std::move(zero);
  shape->children[1] = std::move(one);
  return shape;
}

// Of two equally good trees the simpler one has fewer leaves, then less depth.
inline bool simpler(const Shape& a, const Shape& b) {
  return a.leaves != b.leaves ? a.leaves < b.leaves : a.depth < b.depth;
}

}  // namespace optitree
