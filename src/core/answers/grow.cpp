#include "answers/grow.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

#include "answers/describe.hpp"

namespace optitree {

namespace {

class WeakestLinks {
 public:
  explicit WeakestLinks(const Tree& tree)
      : tree_(tree), left_(tree.nodes.size()), pruned_at_(tree.nodes.size(), 0) {
    for (std::size_t at = left_.size(); at-- > 0;) {  // children come after their parents
      const TreeNode& node = tree.nodes[at];
      Left& here = left_[at];
      here.loss = node.loss;
      if (node.feature < 0) continue;
      Left& yes = left_[static_cast<std::size_t>(node.yes)];
      Left& no = left_[static_cast<std::size_t>(node.no)];
      yes.parent = no.parent = static_cast<std::int32_t>(at);
      here.leaves = yes.leaves + no.leaves;
      here.loss = yes.loss + no.loss;
      wait(at);
    }
  }

  std::vector<double> find() {
    double reached = 0;
    while (!waiting_.empty()) {
      const auto [value, at] = waiting_.top();
      waiting_.pop();
      if (left_[at].leaves == 1 || value != left_[at].worth) continue;  // said again since
      reached = std::max(reached, value);
      cut(at, reached);
    }
    return std::move(pruned_at_);
  }

 private:
  // What is left below a node.
  struct Left {
    double loss = 0;
    double worth = 0;  // of each additional leaf
    std::size_t leaves = 1;
    std::int32_t parent = -1;
  };
  using Waiting = std::pair<double, std::size_t>;

  void wait(std::size_t at) {
    const double root_loss = tree_.nodes[0].loss;
    const double gain = std::max(tree_.nodes[at].loss - left_[at].loss, 0.0);
    const double share = root_loss > 0 ? gain / root_loss : 0;
    left_[at].worth = share / static_cast<double>(left_[at].leaves - 1);
    waiting_.push({left_[at].worth, at});
  }

  // Makes a split a leaf, and tells those above it.
  void cut(std::size_t at, double regularization) {
    const std::size_t fewer = left_[at].leaves - 1;
    const double more = tree_.nodes[at].loss - left_[at].loss;
    cut_below(at, regularization);
    left_[at].loss = tree_.nodes[at].loss;
    for (std::int32_t above = left_[at].parent; above >= 0;) {
      const auto node = static_cast<std::size_t>(above);
      left_[node].leaves -= fewer;
      left_[node].loss += more;
      wait(node);
      above = left_[node].parent;
    }
  }

  void cut_below(std::size_t at, double regularization) {
    std::vector<std::size_t> splits{at};
    while (!splits.empty()) {
      const std::size_t split = splits.back();
      splits.pop_back();
      if (left_[split].leaves == 1) continue;
      left_[split].leaves = 1;
      pruned_at_[split] = regularization;
      splits.push_back(static_cast<std::size_t>(tree_.nodes[split].yes));
      splits.push_back(static_cast<std::size_t>(tree_.nodes[split].no));
    }
  }

  const Tree& tree_;
  std::vector<Left> left_;
  std::vector<double> pruned_at_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
};

}  // namespace

std::vector<double> weakest_links(const Tree& tree) { return WeakestLinks(tree).find(); }

std::optional<Grown> grow(const Task& task) {
  const Watch watch(task.limits, task.monitor);
  const Problem problem = make_problem(task.table, task.restrictions, *task.loss);
  const auto shape = task.loss->greedy_tree(problem, watch, task.limits.seconds);
  if (shape == nullptr) return std::nullopt;
  Grown grown{describe(*shape, problem, task), {}};
  grown.pruned_at = weakest_links(grown.tree);
  return grown;
}

}  // namespace optitree
