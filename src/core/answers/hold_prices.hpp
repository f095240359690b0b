// Prices made to hold: what column generation outside the core asks again and again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/task.hpp"

namespace optitree {

struct HeldPrices {
  bool complete = false;  // otherwise they promise nothing
  // By the groups as the caller numbers them: prices of which none is above what was asked for, and
  // the groups of conjunctions that were too cheap for that, or within a ten-thousandth of lambda.
  std::vector<double> prices;
  std::vector<std::vector<std::uint32_t>> cheap;
};

// Makes prices hold for every conjunction of literals. Not complete where the loss or the limits on
// trees know no prices, or a limit on time comes first.
HeldPrices hold_prices(const Task& task, std::span<const double> prices);

}  // namespace optitree
