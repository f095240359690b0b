// Conjunctions that were once cheaper than their groups, or hardly more expensive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "problem/problem.hpp"

namespace optitree {

// Prices that hold for these hold for most others: they are repaired for them first.
class KnownConjunctions {
 public:
  // Begins with one more, of this cost at the regularization lambda, unless it is there already:
  // then it returns false; add() says its groups.
  bool begin(double cost, double lambda, std::uint64_t hash);
  void add(Members groups);
  // Conjunctions are left a little below their cost: examining again and again what is exactly
  // tight would take most of the time.
  static double less_slack(double cost, double lambda);

  // Calls visit(what it may cost at most, its groups) with each of them.
  template <typename Visit>
  void visit(Visit visit) const {
    for (const KnownConjunction& known : known_) {
      visit(known.cost, Members(groups_.data() + known.begin, known.end - known.begin));
    }
  }

  bool empty() const { return known_.empty(); }
  // Numbers of groups of all of them, one after the other.
  std::size_t size() const { return groups_.size(); }
  std::size_t bytes() const {
    constexpr std::size_t kBytesOfHash = 32;
    return groups_.capacity() * sizeof(std::uint32_t) +
           known_.capacity() * (sizeof(KnownConjunction) + kBytesOfHash);
  }

  // Nothing is known to be of use before the next repair.
  void begin_ascent();
  // Lowers the prices of each that they exceed, one after the other, and notes that it is of use.
  void repair(std::vector<double>& price);
  // Forgets those that did not matter since begin_ascent().
  void forget_useless();
  void change_regularization(double from, double to);

 private:
  struct KnownConjunction {
    double cost;
    std::uint64_t hash;      // of its groups: all that equal ones are known by
    std::size_t begin, end;  // of its groups in groups_
    bool useful;
  };
  std::vector<KnownConjunction> known_;
  std::unordered_set<std::uint64_t> hashes_;
  std::vector<std::uint32_t> groups_;
};

}  // namespace optitree
