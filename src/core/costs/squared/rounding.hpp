// What the rounding of cells does to costs under squared error.
#pragma once

#include "problem/group_data.hpp"
#include "problem/measured_groups.hpp"

namespace optitree {

// What it changes the cost of any tree by, at most. The search sees (mean - centre) / scale.
double rounding_error(const GroupData& table, const MeasuredGroups& measured, double centre,
                      double scale);

}  // namespace optitree
