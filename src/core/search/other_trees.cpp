#include "search/other_trees.hpp"

#include <algorithm>

#include "search/read_off.hpp"

namespace optitree {

namespace {

// Subtrees of so many splits to a leaf are the best there are once they have been solved again.
constexpr std::uint32_t kSolvedAnyway = 2;

}  // namespace

OtherTrees::Tree OtherTrees::next(const Tree& tree, double seconds) {
  deadline_ = watch_.seconds() + seconds;
  const Depth depth = problem_.restrictions().max_depth;
  Node* root = worker_.root(depth);
  if (root == nullptr || tree->is_leaf()) return nullptr;
  found_.clear();
  look_below(*root, *tree);
  spent_.resize(std::max(spent_.size(), found_.size()));
  const Candidate* first = nullptr;
  for (std::size_t level = 0; level < found_.size(); ++level) {
    if (found_[level].loses == kInfinity) continue;
    if (first == nullptr || spent_[level] < spent_[level_]) first = &found_[level], level_ = level;
  }
  if (first == nullptr) return nullptr;
  tried_.insert(first->place.key());
  root = worker_.root(depth);
  return root == nullptr ? nullptr : replaced(*root, tree, first->place);
}

bool OtherTrees::goes_on(const Shape& tree) const { return tree.depth > kSolvedAnyway; }

// The best candidates at an entered node and below it.
void OtherTrees::look_below(Node& node, const Shape& tree) {
  ReadOff(worker_, problem_, watch_).look_at(node, deadline_);
  found_.resize(std::max(found_.size(), node.level + 1));
  Candidate& best = found_[node.level];
  double least = node.leaf;
  for (const Split& split : node.splits) least = std::min(least, split.upper());
  const Split* followed = nullptr;
  for (const Split& split : node.splits) {
    if (split.literal == tree.literal) followed = &split;
    const Place place{node.hash, split.literal};
    const double loses = (split.upper() - least) / least;
    if (split.literal == tree.literal || !(loses < best.loses)) continue;
    if (!tried_.contains(place.key())) best = {place, loses};
  }
  if (followed == nullptr) return;
  for (const int side : {0, 1}) {
    if (!goes_on(*tree.children[side])) continue;
    Node* child = worker_.enter(node, *followed, side);
    if (child == nullptr) return;
    look_below(*child, *tree.children[side]);
  }
}

// Where it cannot be followed, the tree itself.
OtherTrees::Tree OtherTrees::replaced(Node& node, const Tree& tree, const Place& place) {
  ReadOff read_off(worker_, problem_, watch_);
  const bool in_time = read_off.look_at(node, deadline_);
  const bool here = node.hash == place.hash;
  const Literal literal = here ? place.literal : tree->literal;
  const auto split = std::ranges::find(node.splits, literal, &Split::literal);
  if (split == node.splits.end()) return tree;
  if (here) return read_off.grow(node, *split, in_time);
  Tree child[2];
  for (const int side : {0, 1}) {
    child[side] = tree->children[side];
    if (!goes_on(*child[side])) continue;
    Node* next = worker_.enter(node, *split, side);
    if (next == nullptr) return tree;
    child[side] = replaced(*next, child[side], place);
  }
  return join(literal, child[0], child[1]);
}

}  // namespace optitree
