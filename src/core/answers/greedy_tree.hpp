// A greedy tree on the features of a problem, for a search under squared error that was stopped.
#pragma once

#include <memory>

#include "common/watch.hpp"
#include "problem/shape.hpp"

namespace optitree {

// Grows a tree best first, one split at a time, and then cuts back every branch that does not pay
// its price. No greedy tree of up to 64 leaves on these features has a smaller objective: each is
// the grown tree with some branches cut. Goes on for about `seconds`.
std::shared_ptr<const Shape> grown_tree(const Problem& problem, const Watch& watch, double seconds);

}  // namespace optitree
