// The shape of a tree on the features of a problem.
#pragma once

#include <cstdint>
#include <memory>

#include "problem.hpp"

namespace optitree {

// A subtree: which feature splits it, or none.
struct Shape {
  Literal literal = 0;                       // of feature = 0, in the coding of the problem
  std::shared_ptr<const Shape> children[2];  // by the value of the feature
  std::uint32_t leaves = 1;
  std::uint32_t depth = 0;

  bool is_leaf() const { return children[0] == nullptr; }
};

}  // namespace optitree
