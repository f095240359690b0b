#include "answers/describe.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include "common/sum.hpp"

namespace optitree {

namespace {

class Description {
 public:
  Description(const Problem& problem, const Task& task) : problem_(problem), task_(task) {}

  // Adds the nodes of a subtree. Returns where its root is.
  std::int32_t add(const Shape& shape, const std::vector<std::uint32_t>& members) {
    const auto at = static_cast<std::int32_t>(tree_.nodes.size());
    tree_.nodes.push_back(describe_node(members, problem_, task_));
    if (shape.is_leaf()) return at;
    const std::uint32_t feature = shape.literal >> 1;
    const auto side = problem_.sides_of(members, feature);
    const auto yes = static_cast<std::size_t>(problem_.yes(feature));
    const std::int32_t yes_at = add(*shape.children[yes], side[yes]);
    const std::int32_t no_at = add(*shape.children[1 - yes], side[1 - yes]);
    TreeNode& node = tree_.nodes[static_cast<std::size_t>(at)];
    node.feature = static_cast<std::int32_t>(feature);
    node.yes = yes_at;
    node.no = no_at;
    return at;
  }
  Tree take() { return std::move(tree_); }

 private:
  const Problem& problem_;
  const Task& task_;
  Tree tree_;
};

}  // namespace

TreeNode describe_node(Members members, const Problem& problem, const Task& task) {
  TreeNode node;
  CompensatedSum rows, weight;
  for (const std::uint32_t g : members) {
    const std::uint32_t original = problem.original(g);
    rows.add(task.table.rows[original]);
    weight.add(task.table.weight[original]);
  }
  node.rows = rows.value();
  node.weight = weight.value();
  const Prediction prediction = task.loss->predict(members, problem, task.table);
  node.value = prediction.value;
  node.loss = prediction.loss;
  return node;
}

Tree describe(const Shape& shape, const Problem& problem, const Task& task) {
  std::vector<std::uint32_t> everything(problem.groups());
  std::iota(everything.begin(), everything.end(), 0U);
  Description description(problem, task);
  description.add(shape, everything);
  return description.take();
}

double relative_loss(const Tree& tree, const Problem& problem) {
  return problem.root_loss() > 0 ? tree.loss() / problem.root_loss() : 0;
}

double objective_of(const Tree& tree, const Problem& problem, double regularization) {
  return relative_loss(tree, problem) + regularization * static_cast<double>(tree.leaves());
}

}  // namespace optitree
