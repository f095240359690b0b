#include "problem/restrictions.hpp"

#include <cmath>

namespace optitree {

LeafSize::LeafSize(const GroupData& table, double min_samples_leaf) : binds_(min_samples_leaf > 1) {
  const double weight_of_row = table.weight[0] / table.rows[0];
  bool proportional = true;
  for (std::size_t g = 0; g < table.size(); ++g) {
    proportional = proportional && table.weight[g] == weight_of_row * table.rows[g];
  }
  if (!binds_) {
    least = std::numeric_limits<double>::min();
  } else if (proportional) {
    least = weight_of_row * (std::ceil(min_samples_leaf) - 0.5);  // rows are whole numbers
  } else {
    lane = kLastLane;
    least = min_samples_leaf;
  }
}

}  // namespace optitree
