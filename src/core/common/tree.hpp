// A tree as it leaves the core, in terms of the caller's features.
#pragma once

#include <cstdint>
#include <vector>

namespace optitree {

struct TreeNode {
  std::int32_t feature = -1;  // -1 for a leaf
  std::int32_t yes = -1;      // child where the feature holds
  std::int32_t no = -1;
  double rows = 0;
  double weight = 0;
  double value = 0;  // best prediction; a mean is measured from the caller's origin
  double loss = 0;   // of that prediction, floor included, unscaled
};

// Nodes in preorder, the yes child before the no child; the root is first.
struct Tree {
  std::vector<TreeNode> nodes;

  std::size_t leaves() const { return (nodes.size() + 1) / 2; }
  double loss() const;  // of the leaves together, unscaled
};

}  // namespace optitree
