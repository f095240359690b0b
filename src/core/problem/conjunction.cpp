#include "problem/conjunction.hpp"

namespace optitree {

void Implications::learn(const PairTable& table, const Cell& total) {
  const std::size_t features = table.dimension();
  words_ = 2 * ((features + 63) / 64);
  bits_.assign(2 * features * words_, 0);
  const auto add_if = [&](bool holds, Literal a, Literal b) {  // and the contrapositive
    if (holds) add(a, b), add(b ^ 1, a ^ 1);
  };
  for (Literal f = 0; f < features; ++f) {
    for (Literal h = f + 1; h < features; ++h) {
      const double both = table.line(f)[h].weight();
      const double weight_f = table.diagonal(f).weight();
      const double weight_h = table.diagonal(h).weight();
      add_if(both == weight_f, 2 * f + 1, 2 * h + 1);
      add_if(both == weight_h, 2 * h + 1, 2 * f + 1);
      add_if(both == 0, 2 * f + 1, 2 * h);
      add_if(weight_f + weight_h - both == total.weight(), 2 * f, 2 * h + 1);
    }
  }
}

}  // namespace optitree
