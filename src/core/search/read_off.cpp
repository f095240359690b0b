#include "search/read_off.hpp"

#include <algorithm>

namespace optitree {

ReadOff::Subtree ReadOff::read(double seconds, bool from_cache) {
  deadline_ = watch_.seconds() + seconds;
  from_cache_ = from_cache;
  if (worker_.implications().words() == 0) return leaf_;  // stopped before the root was counted
  Node* root = worker_.root(problem_.restrictions().max_depth);
  return root == nullptr ? leaf_ : read(*root);
}

ReadOff::Subtree ReadOff::child(const Node& node, const Split& split, int side) {
  deadline_ = kInfinity;
  from_cache_ = true;
  return read_child(node, split, side);
}

bool ReadOff::look_at(Node& node, double deadline) {
  deadline_ = deadline;
  from_cache_ = true;
  return look_at(node);
}

ReadOff::Subtree ReadOff::read(Node& node) {
  const bool in_time = look_at(node);
  const auto best = std::ranges::min_element(node.splits, {}, &Split::upper);
  if (best == node.splits.end() || !strictly_better(best->upper(), node.leaf)) return leaf_;
  return grow(node, *best, in_time);
}

bool ReadOff::look_at(Node& node) {
  worker_.open(node);
  const double left = deadline_ - watch_.seconds();
  const bool in_time = static_cast<double>(worker_.work_of_children(node)) < left * 1e9;
  if (in_time && from_cache_) worker_.recall(node, kInfinity);
  return in_time;
}

ReadOff::Subtree ReadOff::grow(const Node& node, const Split& split, bool in_time) {
  Subtree child[2];
  for (const int side : {0, 1}) {
    if (in_time) child[side] = read_child(node, split, side);
    if (!child[side]) child[side] = two_leaves(node, split, side);
  }
  return join(split.literal, child[0], child[1]);
}

// Null when halted.
ReadOff::Subtree ReadOff::read_child(const Node& node, const Split& split, int side) {
  const Child& known = split.child[side];
  if (!strictly_better(known.upper, known.leaf)) return leaf_;
  Node* child = worker_.enter(node, split, side);
  return child == nullptr ? nullptr : read(*child);
}

// The child as a leaf or as its best two leaves, from what is known of the node.
ReadOff::Subtree ReadOff::two_leaves(const Node& node, const Split& split, int side) {
  const std::vector<double>& costs = worker_.two_leaves(node, split, side);
  double best = split.child[side].leaf;
  Subtree found = leaf_;
  for (const Split& second : node.splits) {
    const double cost = costs[second.position];
    if (strictly_better(cost, best)) best = cost, found = join(second.literal, leaf_, leaf_);
  }
  return found;
}

}  // namespace optitree
