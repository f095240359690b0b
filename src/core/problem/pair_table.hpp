// Pair statistics: for a support S and features f <= h, the cell of the groups in S with f = h = 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/problem.hpp"

namespace optitree {

// Hash and number of a set of groups.
struct Tally {
  std::uint64_t hash = 0;
  std::uint32_t groups = 0;
};

// Upper triangle, row by row, over the features of an axis. The cells of one row are contiguous.
class PairTable {
 public:
  // An axis of so many features, all cells empty.
  void reset(std::size_t dimension);
  std::size_t dimension() const { return dimension_; }
  // row(i)[j] is the cell of (i, j) for j >= i.
  const Cell* row(std::size_t i) const { return cells_.data() + offset(i); }
  const Cell& diagonal(std::size_t i) const { return row(i)[i]; }
  const Cell& at(std::size_t i, std::size_t j) const { return i <= j ? row(i)[j] : row(j)[i]; }
  // Hash and number of the groups with feature i = 1.
  std::uint64_t hash(std::size_t i) const { return tallies_[i].hash; }
  std::uint32_t groups(std::size_t i) const { return tallies_[i].groups; }

  // Adds groups to the table: the pairs of the features in `mask`, a bit each; row_of maps them to
  // their rows.
  void add(const Problem& problem, const std::uint32_t* members, std::size_t count,
           const std::uint64_t* mask, const std::vector<std::uint32_t>& row_of);
  // Empties the cells of one row.
  void clear_row(std::size_t i);
  // The rows and columns of `whole` named by `kept` (ascending).
  void set_selection(const PairTable& whole, const std::vector<std::uint32_t>& kept);
  // The table of a support minus that of a part of it, over the same axis.
  void set_difference(const PairTable& whole, const PairTable& part);

 private:
  std::size_t offset(std::size_t i) const { return i * dimension_ - i * (i + 1) / 2; }
  std::size_t size() const { return dimension_ * (dimension_ + 1) / 2; }
  void set_dimension(std::size_t dimension);

  std::size_t dimension_ = 0;
  std::vector<Cell> cells_;  // the first size() are in use: vectors only grow, never refill
  std::vector<Tally> tallies_;
  std::vector<Cell*> row_begins_;    // scratch
  std::vector<std::uint32_t> rows_;  // scratch
};

}  // namespace optitree
