// Many trees as they leave the core: subtrees that they have in common are there once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "answers/forest.hpp"
#include "common/sum.hpp"
#include "common/tree.hpp"
#include "common/watch.hpp"
#include "search/task.hpp"

namespace optitree {

struct SharedTrees {
  // Of subtrees: the feature, or -1 for a leaf; the support; the subtrees where the feature holds
  // and where it does not.
  std::vector<std::int32_t> feature;
  std::vector<std::uint32_t> support, yes, no;
  // Of supports, as in TreeNode.
  std::vector<double> rows, weight, value, loss;
  // Of trees, in order: the subtree that is all of it, and the objective.
  std::vector<std::uint32_t> root;
  std::vector<double> objective;

  std::size_t size() const { return root.size(); }
  Tree tree(std::size_t at) const;
  // A tree that shares nothing.
  void add(const Tree& tree, double of_tree);
};

// Makes them of the trees of a forest.
class SharedTreesMaker {
 public:
  // The task has the regularization at which objectives are counted.
  SharedTreesMaker(const Forest& forest, const Problem& problem, const Task& task, Watch& watch,
                   Pace& pace);

  // Begins a list of trees in the place of the last one.
  void begin_list();
  // False if it is time to unwind, and then nothing is added.
  bool add(std::uint32_t tree);
  // Takes the last list instead if it is longer. False if it is not.
  bool go_back();
  std::size_t size() const { return trees_.size(); }
  SharedTrees take() { return std::move(trees_); }

 private:
  static constexpr std::uint32_t kNone = Forest::kNone;

  // Whether all that a subtree stands on has been measured.
  bool measured(std::uint32_t number) const;
  bool measure(std::uint32_t number, const std::vector<std::uint32_t>& members);
  bool copy(std::uint32_t number);
  void add_losses(std::uint32_t subtree, CompensatedSum& sum) const;

  const Forest& forest_;
  const Problem& problem_;
  const Task& task_;
  Pace& pace_;
  Loan loan_;
  std::vector<std::uint32_t> subtree_of_;  // by number in the forest: that of the answer
  std::vector<std::uint32_t> support_of_;  // likewise
  SharedTrees trees_;
  std::vector<std::uint32_t> root_before_;  // of the last list
  std::vector<double> objective_before_;
};

}  // namespace optitree
