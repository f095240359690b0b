#include "answers/shared_trees.hpp"

#include <numeric>

#include "answers/describe.hpp"
#include "common/sum.hpp"

namespace optitree {

namespace {

constexpr std::size_t kWorkOfNode = 20;    // to walk past a node of a tree
constexpr std::size_t kWorkOfMember = 20;  // to measure a support, for each of its groups
constexpr std::size_t kWorkOfPoint = 4;    // and for each point there is

// Adds the nodes of a subtree in preorder. Returns where its root is.
std::int32_t expand(const SharedTrees& trees, std::uint32_t subtree, Tree& tree) {
  const auto at = static_cast<std::int32_t>(tree.nodes.size());
  const std::uint32_t s = trees.support[subtree];
  tree.nodes.push_back({-1, -1, -1, trees.rows[s], trees.weight[s], trees.value[s], trees.loss[s]});
  if (trees.feature[subtree] < 0) return at;
  const std::int32_t yes = expand(trees, trees.yes[subtree], tree);
  const std::int32_t no = expand(trees, trees.no[subtree], tree);
  TreeNode& node = tree.nodes[static_cast<std::size_t>(at)];
  node.feature = trees.feature[subtree];
  node.yes = yes;
  node.no = no;
  return at;
}

void add_support(SharedTrees& trees, const TreeNode& node) {
  trees.rows.push_back(node.rows);
  trees.weight.push_back(node.weight);
  trees.value.push_back(node.value);
  trees.loss.push_back(node.loss);
}

}  // namespace

Tree SharedTrees::tree(std::size_t at) const {
  Tree tree;
  expand(*this, root[at], tree);
  return tree;
}

void SharedTrees::add(const Tree& tree, double of_tree) {
  const auto first = static_cast<std::uint32_t>(feature.size());
  const auto child = [&](std::int32_t at) {
    return at < 0 ? 0 : first + static_cast<std::uint32_t>(at);
  };
  for (const TreeNode& node : tree.nodes) {
    support.push_back(static_cast<std::uint32_t>(rows.size()));
    add_support(*this, node);
    feature.push_back(node.feature);
    yes.push_back(child(node.yes));
    no.push_back(child(node.no));
  }
  root.push_back(first);
  objective.push_back(of_tree);
}

SharedTreesMaker::SharedTreesMaker(const Forest& forest, const Problem& problem, const Task& task,
                                   Watch& watch, Pace& pace)
    : forest_(forest), problem_(problem), task_(task), pace_(pace), loan_(watch) {}

void SharedTreesMaker::begin_list() {
  trees_.root.swap(root_before_);
  trees_.objective.swap(objective_before_);
  trees_.root.clear();
  trees_.objective.clear();
}

bool SharedTreesMaker::go_back() {
  if (trees_.root.size() >= root_before_.size()) return false;
  trees_.root.swap(root_before_);
  trees_.objective.swap(objective_before_);
  return true;
}

bool SharedTreesMaker::add(std::uint32_t tree) {
  if (!pace_.spend(forest_[tree].leaves * kWorkOfNode)) return false;
  const std::size_t more = forest_.size() - subtree_of_.size();
  if (!loan_.make_room(subtree_of_, more)) return false;
  subtree_of_.resize(forest_.size(), kNone);
  if (!measured(tree)) {
    std::vector<std::uint32_t> everything(problem_.groups());
    std::iota(everything.begin(), everything.end(), 0U);
    if (!measure(tree, everything)) return false;
  }
  if (!copy(tree) || !loan_.make_room(trees_.root, 1) || !loan_.make_room(trees_.objective, 1)) {
    return false;
  }
  CompensatedSum loss;
  add_losses(subtree_of_[tree], loss);
  const double share = problem_.root_loss() > 0 ? loss.value() / problem_.root_loss() : 0;
  trees_.root.push_back(subtree_of_[tree]);
  trees_.objective.push_back(share + task_.restrictions.regularization * forest_[tree].leaves);
  return true;
}

bool SharedTreesMaker::measured(std::uint32_t number) const {
  if (subtree_of_[number] != kNone) return true;
  const Subtree& subtree = forest_[number];
  if (subtree.support >= support_of_.size() || support_of_[subtree.support] == kNone) return false;
  return subtree.is_leaf() || (measured(subtree.children[0]) && measured(subtree.children[1]));
}

// What has been measured for another tree is not measured again.
bool SharedTreesMaker::measure(std::uint32_t number, const std::vector<std::uint32_t>& members) {
  const Subtree& subtree = forest_[number];
  if (subtree.support >= support_of_.size()) {
    if (!loan_.make_room(support_of_, subtree.support + 1 - support_of_.size())) return false;
    support_of_.resize(subtree.support + 1, kNone);
  }
  if (support_of_[subtree.support] == kNone) {
    for (auto* values : {&trees_.rows, &trees_.weight, &trees_.value, &trees_.loss}) {
      if (!loan_.make_room(*values, 1)) return false;
    }
    support_of_[subtree.support] = static_cast<std::uint32_t>(trees_.rows.size());
    add_support(trees_, describe_node(members, problem_, task_));
    const std::size_t points = problem_.points().size();
    if (!pace_.spend(members.size() * kWorkOfMember + points * kWorkOfPoint)) return false;
  }
  if (measured(number)) return true;
  const auto sides = problem_.sides_of(members, subtree.literal >> 1);
  return pace_.spend(members.size()) && measure(subtree.children[0], sides[0]) &&
         measure(subtree.children[1], sides[1]);
}

bool SharedTreesMaker::copy(std::uint32_t number) {
  if (subtree_of_[number] != kNone) return true;
  const Subtree& subtree = forest_[number];
  std::int32_t feature = -1;
  std::uint32_t sides[2] = {0, 0};  // where it holds, where it does not
  if (!subtree.is_leaf()) {
    for (const std::uint32_t child : subtree.children) {
      if (!copy(child)) return false;
    }
    feature = static_cast<std::int32_t>(subtree.literal >> 1);
    const int yes = problem_.yes(subtree.literal >> 1);
    sides[0] = subtree_of_[subtree.children[yes]];
    sides[1] = subtree_of_[subtree.children[1 - yes]];
  }
  if (!loan_.make_room(trees_.feature, 1)) return false;
  for (auto* values : {&trees_.support, &trees_.yes, &trees_.no}) {
    if (!loan_.make_room(*values, 1)) return false;
  }
  subtree_of_[number] = static_cast<std::uint32_t>(trees_.feature.size());
  trees_.feature.push_back(feature);
  trees_.support.push_back(support_of_[subtree.support]);
  trees_.yes.push_back(sides[0]);
  trees_.no.push_back(sides[1]);
  return true;
}

// In preorder, as the loss of a tree is summed: to the last bit the same.
void SharedTreesMaker::add_losses(std::uint32_t subtree, CompensatedSum& sum) const {
  if (trees_.feature[subtree] < 0) {
    sum.add(trees_.loss[trees_.support[subtree]]);
    return;
  }
  add_losses(trees_.yes[subtree], sum);
  add_losses(trees_.no[subtree], sum);
}

}  // namespace optitree
