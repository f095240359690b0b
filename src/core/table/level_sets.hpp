// The levels of a category in a node of a greedy tree, and the sets of them that may part it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "table/target_sums.hpp"

namespace optitree {

// Of all sets the one that parts a node best is found among the beginnings of the levels in the
// order of their means (Fisher, 1958). Here the mean of a level is drawn towards that of the node,
// by half for a level of weight `pull`: a level of a few rows does not lead, whatever their target.
// Beside these sets there is each level alone.
//
// Rows whose level is missing are in no set. Where there are any, a beginning and the levels after
// it part the node in two ways, else in one: then the set of fewer levels is named.
class LevelSets {
 public:
  void clear() { levels_.clear(); }
  // A level of the node, each once; in ascending order of their codes.
  void add(std::uint32_t code, const TargetSums& sums) { levels_.push_back({code, sums, 0}); }
  // Orders the levels of a node of these sums. `missing` is the code of what is missing, `pull` in
  // steps.
  void order(const TargetSums& total, std::uint32_t missing, double pull);

  // Calls offer(number of a set, its sums): single levels first, so that of equal sets the
  // simplest is offered first.
  template <typename Offer>
  void visit(const Offer& offer) const;
  // The codes of a set, ascending; that of what is missing if it is the one that holds there.
  std::vector<std::uint16_t> codes(std::uint32_t number) const;

 private:
  struct Level {
    std::uint32_t code;
    TargetSums sums;
    std::int64_t place;  // its mean as a number that no order of the rows changes
  };

  std::vector<Level> levels_;  // what is missing last
  bool has_missing_ = false;
  std::uint32_t there_ = 0;  // levels, without what is missing
  TargetSums known_;         // of the rows that have a level
};

// Sets are numbered: 0, 1, ... the levels in their order, each alone, and then what is missing;
// then from 2 * size on the beginnings and what is after them, in turn.
template <typename Offer>
void LevelSets::visit(const Offer& offer) const {
  const auto size = static_cast<std::uint32_t>(levels_.size());
  for (std::uint32_t k = 0; k < size; ++k) offer(k, levels_[k].sums);
  TargetSums beginning;
  for (std::uint32_t k = 1; k < there_; ++k) {
    beginning = beginning + levels_[k - 1].sums;
    if (has_missing_ || 2 * k <= there_) offer(2 * (size + k), beginning);
    if (has_missing_ || 2 * k > there_) offer(2 * (size + k) + 1, known_ - beginning);
  }
}

}  // namespace optitree
