// A tree pruned to fewer leaves.
#pragma once

#include <cstddef>

#include "common/tree.hpp"

namespace optitree {

// The tree with the least loss, of at most so many leaves, that is left when some splits of a tree
// become leaves.
Tree prune_to_leaves(const Tree& tree, std::size_t max_leaves);

}  // namespace optitree
