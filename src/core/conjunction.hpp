// Conjunctions of literals: the paths to supports, in a form that makes equal ones look equal.
#pragma once

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

  // The conjunction with one more literal, which it does not imply.
  void set(const Conjunction& conjunction, Literal literal, const Implications& implications) {
    literals_.clear();
    conjunction.extend(literal, implications, [&](Literal next) {
      literals_.push_back(next);
      return true;
    });
  }
  // Whether that is the given conjunction.
  bool extends_to(std::span<const Literal> other, Literal literal,
                  const Implications& implications) const {
    std::size_t matched = 0;
    const bool agrees = extend(literal, implications, [&](Literal next) {
      return matched < other.size() && other[matched++] == next;
    });
    return agrees && matched == other.size();
  }

 private:
  // Calls take() with the literals of the conjunction with one more, until it returns false.
  template <typename Take>
  bool extend(Literal literal, const Implications& implications, Take take) const {
    bool placed = false;
    for (const Literal old : literals_) {
      if (!placed && literal < old) {
        if (!take(literal)) return false;
        placed = true;
      }
      if (!implications.implies(literal, old) && !take(old)) return false;
    }
    return placed || take(literal);
  }

  std::vector<Literal> literals_;
};

}  // namespace optitree
