#include "search/improvement.hpp"

#include <algorithm>

namespace optitree {

std::shared_ptr<const Shape> Improvement::improve(const Shape& tree) {
  const Depth left = problem_.restrictions().max_depth;
  Node* root = worker_.root(left);
  return root == nullptr || tree.is_leaf() ? nullptr : improve(*root, tree, left).tree;
}

// Needs an entered node, below which so many splits are left.
Improvement::Costed Improvement::improve(Node& node, const Shape& tree, Depth left) {
  node.depth = std::min<Depth>(left, static_cast<Depth>(splits_ + 1));
  worker_.open(node);
  const auto found = std::ranges::find(node.splits, tree.literal, &Split::literal);
  if (found == node.splits.end()) return {nullptr, kInfinity};
  Split& split = *found;
  Costed side[2];
  for (const std::size_t value : {0, 1}) {
    const Shape& below_it = *tree.children[value];
    side[value] = {tree.children[value], split.child[value].leaf};
    if (!below_it.is_leaf()) {
      Node* child = worker_.enter(node, split, static_cast<int>(value));
      if (child == nullptr) return {nullptr, kInfinity};
      side[value] = improve(*child, below_it, below(left));
      if (side[value].tree == nullptr) return side[value];
    }
    Child& known = split.child[value];
    if (worker_.pace().halted() || !strictly_better(known.lower, side[value].cost)) continue;
    worker_.solve_child(node, split, static_cast<int>(value), side[value].cost);
    if (!strictly_better(known.upper, side[value].cost)) continue;
    Subtree better = read_off_.child(node, split, static_cast<int>(value));
    if (better != nullptr) side[value] = {std::move(better), known.upper};
  }
  return {join(tree.literal, side[0].tree, side[1].tree), side[0].cost + side[1].cost};
}

}  // namespace optitree
