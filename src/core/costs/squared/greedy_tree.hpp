// A greedy tree on the features of a problem under squared error, for a search that was stopped.
#pragma once

#include <memory>

#include "common/watch.hpp"
#include "problem/shape.hpp"

namespace optitree {

// Grows a tree best first, one split at a time, and then prunes every branch that takes away less
// loss than its leaves cost. No greedy tree of up to 64 leaves on these features has a smaller
// objective: each is the grown tree with some branches pruned. Goes on for about `seconds`.
std::shared_ptr<const Shape> greedy_tree(const Problem& problem, const Watch& watch,
                                         double seconds);

}  // namespace optitree
