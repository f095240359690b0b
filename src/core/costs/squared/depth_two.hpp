// The exact best trees of depth two on a support, and bounds on deeper ones, under squared error:
// its pair statistics alone tell them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/options.hpp"
#include "costs/node_costs.hpp"
#include "costs/side_costs.hpp"

namespace optitree {

class DepthTwoFromPairs {
 public:
  DepthTwoFromPairs(const Problem& problem, const Options& options)
      : problem_(problem), options_(options) {}

  // As NodeCosts say.
  void measure(const Region& region, bool want_deeper, SideCosts& costs);
  DepthTwo best(const Region& region);

 private:
  void take_diagonal(const Region& region, std::size_t count);
  template <typename Sweep>
  void run(Sweep sweep, const Region& region, SideCosts& costs);

  const Problem& problem_;
  const Options& options_;
  // The positions that are looked at, and their diagonal cells turned: all weights, then all sums..
  std::vector<std::uint32_t> positions_;
  std::size_t count_ = 0;
  std::vector<double> weight_, sum_, square_, last_;
  SideCosts of_child_;  // of best()
};

}  // namespace optitree
