#include "search/improvement.hpp"

#include <algorithm>

namespace optitree {

std::shared_ptr<const Shape> Improvement::improve(const std::shared_ptr<const Shape>& tree) {
  const Depth left = problem_.restrictions().max_depth;
  Node* root = worker_.root(left);
  return root == nullptr || tree->is_leaf() ? nullptr : improve(*root, tree, left).tree;
}

// Needs an entered node, below which so many splits are left.
Improvement::Costed Improvement::improve(Node& node, const Subtree& tree, Depth left) {
  node.depth = std::min<Depth>(left, static_cast<Depth>(splits_ + 1));
  worker_.open(node);
  const auto found = std::ranges::find(node.splits, tree->literal, &Split::literal);
  if (found == node.splits.end()) return {nullptr, kInfinity};
  Split& split = *found;
  Costed side[2];
  for (const int value : {0, 1}) {
    side[value] = follow(node, split, value, tree->children[value], below(left));
    if (side[value].tree == nullptr) return side[value];
    Child& known = split.child[value];
    if (worker_.pace().halted() || !strictly_better(known.lower, side[value].cost)) continue;
    worker_.solve_child(node, split, value, side[value].cost);
    if (!strictly_better(known.upper, side[value].cost)) continue;
    Subtree better = read_off_.child(node, split, value);
    if (better != nullptr) side[value] = {std::move(better), known.upper};
  }
  const double cost = side[0].cost + side[1].cost;
  if (side[0].tree != tree->children[0] || side[1].tree != tree->children[1]) {
    return {join(tree->literal, side[0].tree, side[1].tree), cost};
  }
  if (!worker_.pace().halted()) settled_[tree.get()] = {tree, node.hash, cost, splits_};
  return {tree, cost};
}

// A child, made better below.
Improvement::Costed Improvement::follow(Node& node, const Split& split, int side,
                                        const Subtree& tree, Depth left) {
  if (tree->is_leaf()) return {tree, split.child[side].leaf};
  const auto settled = settled_.find(tree.get());
  if (settled != settled_.end() && settled->second.support == split.child[side].hash &&
      settled->second.splits >= splits_) {
    return {tree, settled->second.cost};
  }
  Node* child = worker_.enter(node, split, side);
  return child == nullptr ? Costed{nullptr, kInfinity} : improve(*child, tree, left);
}

}  // namespace optitree
