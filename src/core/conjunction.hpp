// Conjunctions of literals: the paths to supports, in a form that makes equal ones look equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "pairs.hpp"
#include "problem.hpp"

namespace optitree {

// For two literals, whether the first implies the second on every group of the table: of the
// intervals or levels of one column at most one holds, thresholds are nested.
class Implications {
 public:
  // `table` has the pair statistics of all features on the whole table.
  void learn(const PairTable& table, const Cell& total);
  bool implies(Literal a, Literal b) const {
    const std::size_t bit = std::size_t{a} * literals_ + b;
    return (bits_[bit / 64] >> (bit % 64)) & 1;
  }

 private:
  void add(Literal a, Literal b) {
    const std::size_t bit = std::size_t{a} * literals_ + b;
    bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  std::size_t literals_ = 0;
  std::vector<std::uint64_t> bits_;
};

// Ascending, without literals that another one implies. Different conjunctions may still define
// the same support; equal ones always do.
class Conjunction {
 public:
  std::span<const Literal> literals() const { return literals_; }

  // conjunction and literal, where the literal is not implied by the conjunction
  void set(const Conjunction& conjunction, Literal literal, const Implications& implications) {
    literals_.clear();
    const auto keep = [&](Literal old) { return !implications.implies(literal, old); };
    const auto middle = std::lower_bound(conjunction.literals_.begin(),
                                         conjunction.literals_.end(), literal);
    std::copy_if(conjunction.literals_.begin(), middle, std::back_inserter(literals_), keep);
    literals_.push_back(literal);
    std::copy_if(middle, conjunction.literals_.end(), std::back_inserter(literals_), keep);
  }

 private:
  std::vector<Literal> literals_;
};

}  // namespace optitree
