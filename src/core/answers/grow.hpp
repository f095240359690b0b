// A greedy tree and all that pruning leaves of it, without any search.
#pragma once

#include <optional>
#include <vector>

#include "common/tree.hpp"
#include "search/task.hpp"

namespace optitree {

struct Grown {
  Tree tree;
  // For each node the least regularization at which no leaf below it is left; 0 for the leaves.
  std::vector<double> pruned_at;
};

// Grown as far as the restrictions and the time allow; with a regularization only as far as leaves
// pay for themselves. Nothing where the loss has no quick way to such a tree.
std::optional<Grown> grow(const Task& task);

// Weakest links (Breiman et al., 1984): a branch is pruned when what it takes away of the loss, as
// a share of the root's, is no more than the regularization for its additional leaves, the one that
// pays least first. What is left is the best tree that pruning can leave, at every regularization;
// of two branches, one in the other, the outer goes no sooner than the inner.
std::vector<double> weakest_links(const Tree& tree);

}  // namespace optitree
