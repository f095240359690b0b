// A tree cut back to fewer leaves.
#pragma once

#include <cstddef>

#include "common/tree.hpp"

namespace optitree {

// The tree with the least loss, of at most so many leaves, that is left when some splits of a tree
// become leaves.
Tree cut_back(const Tree& tree, std::size_t max_leaves);

}  // namespace optitree
