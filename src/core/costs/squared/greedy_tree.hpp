// A greedy tree on the features of a problem under squared error, for a search that was stopped.
#pragma once

#include <memory>

#include "common/watch.hpp"
#include "problem/shape.hpp"

namespace optitree {

// Grows a tree best first, one split at a time, and then prunes every branch that takes away less
// loss than its leaves cost. No greedy tree on these features of up to 64 leaves, or as many as the
// regularization lets pay, has a smaller objective: each is the grown tree with some branches
// pruned. Without a regularization it is the greedy tree grown to its end. Goes on for about
// `seconds`.
std::shared_ptr<const Shape> greedy_tree(const Problem& problem, const Watch& watch,
                                         double seconds);

}  // namespace optitree
