// The list of losses.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "costs/loss.hpp"

namespace optitree {

// A loss by its name and its parameters:
//   "squared"           squared error; a leaf predicts a mean
//   "pinball"           over, under: what a unit of a prediction above the target costs, and of one
//                       below it; a leaf predicts a quantile (absolute error: 1 and 1, a median)
// Null if there is no such loss.
std::unique_ptr<const Loss> make_loss(std::string_view name, std::span<const double> parameters);

}  // namespace optitree
