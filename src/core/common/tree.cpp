#include "common/tree.hpp"

#include "common/sum.hpp"

namespace optitree {

double Tree::loss() const {
  CompensatedSum sum;
  for (const TreeNode& node : nodes) {
    if (node.feature < 0) sum.add(node.loss);
  }
  return sum.value();
}

}  // namespace optitree
