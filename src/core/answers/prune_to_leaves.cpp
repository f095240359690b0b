#include "answers/prune_to_leaves.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace optitree {

namespace {

class Pruning {
 public:
  explicit Pruning(const Tree& tree) : tree_(tree), losses_(tree.nodes.size()) {}

  Tree to(std::size_t most) {
    for (std::size_t at = tree_.nodes.size(); at-- > 0;) measure(at, most);  // children come later
    copy(0, most);
    return std::move(result_);
  }

 private:
  // The least loss with at most 1, 2, ... leaves below a node, as far as more make a difference.
  void measure(std::size_t at, std::size_t most) {
    const TreeNode& node = tree_.nodes[at];
    std::vector<double>& losses = losses_[at];
    losses = {node.loss};
    if (node.feature < 0) return;
    const std::vector<double>&yes = below(node.yes), &no = below(node.no);
    losses.resize(std::min(most, yes.size() + no.size()), node.loss);
    for (std::size_t i = 0; i < yes.size(); ++i) {
      for (std::size_t j = 0; j < no.size() && i + j + 1 < losses.size(); ++j) {
        losses[i + j + 1] = std::min(losses[i + j + 1], yes[i] + no[j]);
      }
    }
    for (std::size_t k = 1; k < losses.size(); ++k) losses[k] = std::min(losses[k], losses[k - 1]);
  }

  // Returns where the node went, with at most so many leaves below it.
  std::int32_t copy(std::size_t from, std::size_t most) {
    const TreeNode& node = tree_.nodes[from];
    const auto to = static_cast<std::int32_t>(result_.nodes.size());
    result_.nodes.push_back(node);
    const double least = at_most(losses_[from], most);
    const auto link = [&](std::int32_t feature, std::int32_t yes, std::int32_t no) {
      TreeNode& copied = result_.nodes[static_cast<std::size_t>(to)];
      copied.feature = feature;
      copied.yes = yes;
      copied.no = no;
    };
    link(-1, -1, -1);
    if (least >= node.loss) return to;
    for (std::size_t i = 1; i < most; ++i) {
      if (at_most(below(node.yes), i) + at_most(below(node.no), most - i) > least) continue;
      const std::int32_t yes = copy(static_cast<std::size_t>(node.yes), i);
      link(node.feature, yes, copy(static_cast<std::size_t>(node.no), most - i));
      break;
    }
    return to;
  }

  static double at_most(const std::vector<double>& losses, std::size_t leaves) {
    return losses[std::min(leaves, losses.size()) - 1];
  }
  const std::vector<double>& below(std::int32_t child) const {
    return losses_[static_cast<std::size_t>(child)];
  }

  const Tree& tree_;
  std::vector<std::vector<double>> losses_;
  Tree result_;
};

}  // namespace

Tree prune_to_leaves(const Tree& tree, std::size_t max_leaves) {
  return Pruning(tree).to(max_leaves);
}

}  // namespace optitree
