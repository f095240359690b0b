#include "costs/squared/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/exact_sums.hpp"

namespace optitree {

// First the weights are rounded, then the means: with all means in the vector m, and the weighted
// norm, a tree costs the square of the distance of m from its predictions. By the triangle
// inequality the distance changes by no more than the norm of the change of m, for all predictions,
// so for the best ones; it is no more than that of the root, 1. At last each square is rounded.
double rounding_error(const GroupData& table, const MeasuredGroups& measured, double centre,
                      double scale) {
  if (measured.root_loss <= 0) return 0;
  const auto given = [&](std::size_t g) {
    return (table.mean[measured.original[g]] - centre) / scale;
  };
  double lowest = given(0), highest = given(0);
  for (std::size_t g = 0; g < measured.cells.size(); ++g) {
    lowest = std::min(lowest, given(g));
    highest = std::max(highest, given(g));
  }
  const double grouped = grouping_error(std::ranges::max(table.weight));
  RoundingError weights;
  double norm = 0;
  for (std::size_t g = 0; g < measured.cells.size(); ++g) {
    const double before = table.weight[measured.original[g]], after = measured.cells[g].weight();
    const double mean = given(g), reach = std::max(mean - lowest, highest - mean);
    weights.add(before, std::abs(after - before) + grouped, reach * reach);
    const double moved =
        std::abs(measured.mean[g] - mean) + 2 * grouped * (highest - lowest) / before;
    norm += after * moved * moved;
  }
  const double by_weights = weights.of(1), by_means = std::sqrt(norm);
  const auto groups = static_cast<double>(measured.cells.size());
  return by_weights + by_means * (2 * std::sqrt(1 + by_weights) + by_means) +
         groups * std::numeric_limits<double>::epsilon();
}

}  // namespace optitree
