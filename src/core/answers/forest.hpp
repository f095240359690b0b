// Trees that share what they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/watch.hpp"
#include "problem/problem.hpp"

namespace optitree {

// A subtree stands on a support, which it names by a number, and names its children by theirs.
struct Subtree {
  Literal literal = 0;        // of feature = 0, in the coding of the problem
  std::uint32_t support = 0;  // a number of SupportNumbers
  std::uint32_t children[2] = {0, 0};
  std::uint32_t leaves = 1;
  std::uint32_t depth = 0;

  bool is_leaf() const { return depth == 0; }
  bool operator==(const Subtree&) const = default;
};

// Keeps each subtree once: two of them are equal if and only if their numbers are.
class Forest {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Forest(const Problem& problem, Watch& watch) : problem_(problem), loan_(watch) {}

  const Subtree& operator[](std::uint32_t number) const { return subtrees_[number]; }
  std::size_t size() const { return subtrees_.size(); }
  // kNone if there is no memory for it.
  std::uint32_t number(const Subtree& subtree);
  Subtree join(Literal literal, std::uint32_t zero, std::uint32_t one, std::uint32_t support) const;

  // The order of trees of equal cost: fewest leaves, then least depth, then the earliest feature at
  // the root, then the order of the subtrees where it holds, then of those where it does not.
  // Replacing a subtree by one that comes before it gives a tree that comes before.
  // Negative if a comes first, 0 if they are the same tree.
  int compare(const Subtree& a, const Subtree& b) const;

 private:
  std::size_t slot_of(const Subtree& subtree) const;
  bool grow();

  const Problem& problem_;
  Loan loan_;
  std::vector<Subtree> subtrees_;
  std::vector<std::uint32_t> slots_;  // numbers, each at the first free place from its hash on
};

}  // namespace optitree
