// Conjunctions of literals: what leads to a support, in a form that makes equal ones look equal.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/pair_table.hpp"
#include "problem/problem.hpp"

namespace optitree {

// A set of literals as bits: first those of features that must be 1, then those that must be 0.
using LiteralBits = std::span<const std::uint64_t>;

// Calls visit() with each of them.
template <typename Visit>
void for_each_literal(LiteralBits bits, Visit visit) {
  const std::size_t words = bits.size() / 2;
  for (std::size_t k = 0; k < bits.size(); ++k) {
    const std::size_t first = k % words * 64;
    for (std::uint64_t rest = bits[k]; rest != 0; rest &= rest - 1) {
      const auto feature =
          static_cast<Literal>(first) + static_cast<Literal>(std::countr_zero(rest));
      visit(2 * feature + (k < words ? 1 : 0));
    }
  }
}

// For every literal, the literals that it implies on every group of the table: of the intervals or
// levels of one column at most one holds, thresholds are nested.
class Implications {
 public:
  // `table` has the pair statistics of all features on the whole table.
  void learn(const PairTable& table, const Cell& total);

  // Words of a set of literals; 0 before learning.
  std::size_t words() const { return words_; }
  LiteralBits implied_by(Literal literal) const {
    return {bits_.data() + literal * words_, words_};
  }
  std::size_t word_of(Literal literal) const {
    return (literal & 1 ? 0 : words_ / 2) + (literal >> 1) / 64;
  }
  static std::uint64_t bit_of(Literal literal) { return std::uint64_t{1} << ((literal >> 1) % 64); }

 private:
  void add(Literal a, Literal b) { bits_[a * words_ + word_of(b)] |= bit_of(b); }

  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

// Without the literals that another one implies. Different conjunctions may still define the same
// support; equal ones always do.
class Conjunction {
 public:
  // The conjunction with one more literal, which it does not imply: word k of it.
  std::uint64_t extended(std::size_t k, Literal literal, const Implications& implications) const {
    const std::uint64_t before = k < bits_.size() ? bits_[k] : 0;
    const std::uint64_t added =
        k == implications.word_of(literal) ? Implications::bit_of(literal) : 0;
    return (before & ~implications.implied_by(literal)[k]) | added;
  }
  bool extends_to(const std::uint64_t* other, Literal literal,
                  const Implications& implications) const {
    for (std::size_t k = 0; k < implications.words(); ++k) {
      if (extended(k, literal, implications) != other[k]) return false;
    }
    return true;
  }
  void set(const Conjunction& before, Literal literal, const Implications& implications) {
    bits_.resize(implications.words());
    for (std::size_t k = 0; k < bits_.size(); ++k) {
      bits_[k] = before.extended(k, literal, implications);
    }
  }

 private:
  std::vector<std::uint64_t> bits_;  // empty: no literal
};

}  // namespace optitree
