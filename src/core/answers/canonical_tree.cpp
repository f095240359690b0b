#include "answers/canonical_tree.hpp"

#include <utility>

namespace optitree {

std::shared_ptr<const Shape> CanonicalTree::find(double cost) {
  Node* root = worker_.root(problem_.restrictions().max_depth);
  return root == nullptr ? nullptr : find(*root, cost);
}

// Needs an entered node; `cost` is that of the best tree on its support.
CanonicalTree::Subtree CanonicalTree::find(Node& node, double cost) {
  if (!strictly_better(cost, node.leaf)) return leaf_;
  if (const Subtree* known = found_.find(node)) return *known;
  worker_.open(node);
  worker_.recall(node, cost + 2 * kTolerance);
  Subtree best;
  for (Split& split : node.splits) {
    if (!tied(node, split, cost)) continue;
    Subtree zero = find_child(node, split, 0);
    Subtree one = find_child(node, split, 1);
    if (!zero || !one || watch_.stopped()) return nullptr;
    Subtree subtree = join(split.literal, std::move(zero), std::move(one));
    if (!best || simpler(*subtree, *best)) best = std::move(subtree);
    if (++ties_ > kMostTies) break;
  }
  found_.add(node, best);
  return best;
}

// Whether a best tree may start with this split.
bool CanonicalTree::tied(Node& node, Split& split, double cost) {
  return worker_.solve_children(node, split, cost + 2 * kTolerance) &&
         !strictly_better(cost, split.upper());
}

// Null when halted.
CanonicalTree::Subtree CanonicalTree::find_child(const Node& node, const Split& split, int side) {
  const Child& known = split.child[side];
  if (!strictly_better(known.upper, known.leaf)) return leaf_;
  Node* child = worker_.enter(node, split, side);
  return child == nullptr ? nullptr : find(*child, known.upper);
}

}  // namespace optitree
