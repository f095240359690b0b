// The best trees of depth two on both sides of every split of a support, all at once, under squared
// error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/lanes.hpp"
#include "common/watch.hpp"
#include "costs/node_costs.hpp"
#include "costs/side_costs.hpp"

namespace optitree {

// Three conditions stand for three splits of the support, each with a tree of depth two on its
// sides that asks the other two. One child after the other, each needs pair statistics of its own;
// all at once they need the weight and the sum of every triple, counted once: for the heads of
// three chains, then added up along them, as pairs are. The pair statistics of the support tell the
// rest of its eight parts (theory, section 4).
class ThreeSplits {
 public:
  ThreeSplits(const Problem& problem, Pace& pace) : problem_(problem), pace_(pace) {}

  // About the nanoseconds that measure() takes for so many groups; infinite where it cannot be
  // used.
  double work(const Region& region, std::size_t groups) const;
  // Measures the sides of the positions that are wanted. False if it was stopped, or there was no
  // memory for it.
  bool measure(const Region& region, Members members, const std::vector<bool>& wanted);
  // The best tree with at most two splits on one side of a position that was wanted.
  DepthTwo best(const Region& region, std::uint32_t position, int side) const;

 private:
  using Pair = double __attribute__((vector_size(16)));  // weight, sum
  // Weights and sums of f, g and a third position, for one third position after the other.
  struct Triples {
    const double *weight, *sum;
  };

  // Neighbouring positions of which a group has one head at most: a chain, or several that exclude
  // each other, as those of one column.
  struct Block {
    std::uint32_t begin, end;
    std::size_t first_chain, last_chain;
    bool wanted;  // some position of it is

    std::uint32_t length() const { return end - begin; }
  };

  bool make_room_for(std::size_t groups);
  void take_pairs(const Region& region);
  void take_blocks(const Axis& axis, const std::vector<bool>& wanted);
  void take_heads(const Axis& axis, Members members);
  void within(const Block& block);
  void within_second(const Block& first, const Block& second);
  bool with_later_blocks(std::size_t a, std::size_t b);
  void list_common(std::size_t a, std::size_t b);
  void count(std::size_t lines, std::size_t from, std::size_t to);
  void add_up(const Block& first, const Block& second, std::size_t from, std::size_t to);
  template <typename Add>
  void along_chains(const Block& block, Add add) const;
  void evaluate(std::size_t f, std::size_t g, std::size_t third, std::size_t end, Triples triples);
  std::size_t slot_of_block(std::size_t block) const {
    return block + (block < blocks_.size() ? blocks_[block].begin : size_);
  }
  bool exclusive(const Chain& a, const Chain& b) const;
  double gain(std::size_t i, std::size_t j, int quadrant) const {
    return gain_[(4 * i + static_cast<std::size_t>(quadrant)) * stride_ + j];
  }

  const Problem& problem_;
  Pace& pace_;
  std::size_t bytes_ = 0;  // of all that follows, as far as it is counted

  std::size_t size_ = 0;                            // positions
  std::size_t stride_ = 0;                          // of the lines of a square
  std::vector<double> weight_, sum_;                // of pairs of positions: squares
  std::vector<double> single_weight_, single_sum_;  // of positions
  double total_[2] = {0, 0};
  // For positions i < j and each of their quadrants (both, only i, only j, neither), the most that
  // a third split makes of it: the sum of sum² / weight over its two sides.
  std::vector<double> gain_;

  std::vector<Chain> chains_;            // of positions; many have a single one
  std::vector<std::uint32_t> chain_of_;  // by position
  std::vector<Block> blocks_;
  std::size_t groups_ = 0;
  std::vector<Pair> group_;
  // By block, then group: the position of its head, or size_ if there is none.
  std::vector<std::uint16_t> head_by_block_;
  // By group, then block: the slot in a line of cells. A block has one for each of its positions
  // and one more for groups without a head.
  std::vector<std::uint16_t> slot_by_group_;
  // The groups that have heads in two blocks, and which line of cells they belong to: one for each
  // position of the one and of the other, with the slots of third blocks along it.
  struct Common {
    std::uint32_t group, line;
  };
  std::vector<Common> common_;
  std::size_t common_count_ = 0;
  std::vector<Pair> cells_;
  std::vector<double> triple_weight_, triple_sum_, nothing_;
};

}  // namespace optitree
