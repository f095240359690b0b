// Pair statistics: for a support S and features f <= h, the cell of the groups in S with f = h = 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/axis.hpp"
#include "problem/problem.hpp"

namespace optitree {

// Hash and number of a set of groups.
struct Tally {
  std::uint64_t hash = 0;
  std::uint32_t groups = 0;
};

// Upper triangle, line by line, over the positions of an axis. The cells of one line are
// contiguous.
class PairTable {
 public:
  // An axis of so many features, all cells empty.
  void reset(std::size_t dimension);
  std::size_t dimension() const { return dimension_; }
  // line(i)[j] is the cell of (i, j) for j >= i.
  const Cell* line(std::size_t i) const { return cells_.data() + offset(i); }
  const Cell& diagonal(std::size_t i) const { return line(i)[i]; }
  const Cell& at(std::size_t i, std::size_t j) const { return i <= j ? line(i)[j] : line(j)[i]; }
  // Hash and number of the groups where the feature at position i is 1.
  std::uint64_t hash(std::size_t i) const { return tallies_[i].hash; }
  std::uint32_t groups(std::size_t i) const { return tallies_[i].groups; }

  // Adds groups to the table: the pairs of the features in `mask`, a bit each, at their positions.
  void add(const Problem& problem, Members members, const std::uint64_t* mask,
           const std::vector<std::uint32_t>& position_of);
  // The same for a linked axis, but only the pairs of heads: a group costs a pair of columns each,
  // not a pair of features. add_up() then makes the cells what they are to be.
  void add_heads(const Problem& problem, Members members, const Axis& axis);
  void add_up(const Axis& axis);
  // Empties the cells of one position.
  void clear(std::size_t i);
  // The positions of `whole` named by `kept` (ascending).
  void set_selection(const PairTable& whole, const std::vector<std::uint32_t>& kept);
  // The table of a support minus that of a part of it, over the same axis.
  void set_difference(const PairTable& whole, const PairTable& part);

 private:
  std::size_t offset(std::size_t i) const { return i * dimension_ - i * (i + 1) / 2; }
  std::size_t size() const { return dimension_ * (dimension_ + 1) / 2; }
  void set_dimension(std::size_t dimension);
  void add_bits(const Problem& problem, Members members, const std::uint64_t* bits,
                const std::uint64_t* mask, const std::uint32_t* position_of);

  std::size_t dimension_ = 0;
  std::vector<Cell> cells_;  // the first size() are in use: vectors only grow, never refill
  std::vector<Tally> tallies_;
  std::vector<Cell*> lines_;              // scratch
  std::vector<std::uint32_t> positions_;  // scratch
};

}  // namespace optitree
