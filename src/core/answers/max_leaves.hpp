// The best tree with at most so many leaves.
#pragma once

#include "answers/solve.hpp"

namespace optitree {

// The number of leaves in `restrictions` is one that may bind.
Solution solve_limited(const GroupTable& table, const Restrictions& restrictions,
                       const Limits& limits, const Options& options, const Monitor& monitor,
                       bool record_trace, std::size_t threads);

}  // namespace optitree
