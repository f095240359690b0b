// A tree in terms of the caller's features, with the statistics of every node.
#pragma once

#include "common/tree.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"
#include "search/task.hpp"

namespace optitree {

// The groups as a leaf.
TreeNode describe_node(Members members, const Problem& problem, const Task& task);
Tree describe(const Shape& shape, const Problem& problem, const Task& task);

// In units of the root loss, the floor included.
double relative_loss(const Tree& tree, const Problem& problem);
// relative loss + regularization * leaves.
double objective_of(const Tree& tree, const Problem& problem, double regularization);

}  // namespace optitree
