// What a tree costs, measured from its groups.
#pragma once

#include "costs/loss.hpp"
#include "problem/group_data.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"

namespace optitree {

// Above the floor, in units of the root loss: as the search counts costs.
double tree_cost(const Shape& tree, const Problem& problem, const Loss& loss,
                 const GroupData& table);

}  // namespace optitree
