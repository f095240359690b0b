// The exact best trees of depth two on a support. Under squared error its pair statistics alone
// tell them; under other losses walks along its points do (walks.hpp), which fill the same costs.
#pragma once

#include <cstdint>
#include <vector>

#include "costs/leaf_bounds.hpp"
#include "problem/pair_table.hpp"

namespace optitree {

// The best tree with at most two splits on a path.
struct DepthTwo {
  double cost;
  std::uint32_t leaves;
};

// For rows of a pair table, what their two sides cost. Side 1 is feature = 1, side 0 the rest.
class SideCosts {
 public:
  // As a leaf.
  double leaf(std::size_t k, int side) const { return leaf_[side][k]; }
  // Cheapest split into two leaves.
  double stump(std::size_t k, int side) const { return stump_[side][k]; }
  // Lower bound on every tree with three or more leaves.
  double deeper(std::size_t k, int side) const { return deeper_[side][k]; }

  // Fills the costs of every row of the table, each of which can split the support, whose cell is
  // `total`. A split is allowed when a leaf may stand on either side of it; with no allowed split
  // costs are infinite. `deeper` is filled only if `want_deeper`.
  //
  // deeper: a tree on a side with at least three leaves splits it by some h and splits at least one
  // of the two quadrants q, q' again. The quadrant that is split costs at least 2 lambda, the other
  // at least min(c, 2 lambda) (bounds.hpp: split_cost), and neither costs less than its prices:
  // together the smaller of split(q) + any(q') and any(q) + split(q') with
  //   split(q) = max(2 lambda, price(q)),  any(q) = max(min(c(q), 2 lambda), price(q)),
  // minimised over h. It assumes nothing about limits on depth or leaf size other than that
  // infeasible quadrants are excluded.
  void measure(const PairTable& table, const Cell& total, const Problem& problem,
               const Options& options, bool want_deeper);

  // The table may have rows that cannot split the support.
  DepthTwo best_of_depth_two(const PairTable& table, const Cell& total, const Problem& problem,
                             const Options& options);

 private:
  friend class Walks;
  // Turns the diagonal cells of the first `count` of rows_: all weights, then all sums, ...
  void take_rows(const PairTable& table, std::size_t count);
  template <typename Sweep>
  void run(Sweep sweep, const PairTable& table, const Cell& total, const Problem& problem,
           const Options& options);

  std::vector<std::uint32_t> rows_;
  std::size_t count_ = 0;
  std::vector<double> weight_, sum_, square_, last_;
  std::vector<double> leaf_[2], stump_[2], deeper_[2];
};

}  // namespace optitree
