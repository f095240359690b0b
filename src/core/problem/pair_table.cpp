#include "problem/pair_table.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace optitree {

namespace {

// Where groups are added.
struct Destination {
  Cell** lines;  // where the cells of each line begin, so that lines[i][j] is that of (i, j)
  Tally* tallies;
  std::uint32_t* positions;  // scratch: of the ones of a group
};

// Which bits of the groups are added, and where.
struct Source {
  const std::uint64_t* bits;
  std::size_t words;
  const std::uint64_t* mask;
  const std::uint32_t* position_of;
};

// Adds a group to the cells of all pairs of its K ones. Unrolled: with a handful of ones a group,
// nested loops would spend their time on mispredicted exits.
template <std::size_t K>
OPTITREE_INLINE void add_fixed(Cell* const* line, const std::uint32_t* positions,
                               const Lanes& lanes) {
#pragma GCC unroll 16
  for (std::size_t a = 0; a < K; ++a) {
#pragma GCC unroll 16
    for (std::size_t b = a; b < K; ++b) line[a][positions[b]].lanes += lanes;
  }
}

OPTITREE_MULTIVERSION
void add_groups(const Destination& to, const Problem& problem, Members members,
                const Source& source) {
  Cell* const* const lines = to.lines;
  Tally* const tallies = to.tallies;
  std::uint32_t* const positions = to.positions;
  const Cell* const cells = problem.cells();
  const std::uint64_t* const tags = problem.tags();
  const auto [bits, words, mask, position_of] = source;
  Cell* line[16];
  for (const std::uint32_t g : members) {
    const std::uint64_t tag = tags[g];
    std::size_t found = 0;
    for (std::size_t word = 0; word < words; ++word) {
      std::uint64_t ones = bits[g * words + word] & mask[word];
      for (; ones != 0; ones &= ones - 1) {
        const std::uint32_t i =
            position_of[word * 64 + static_cast<std::size_t>(std::countr_zero(ones))];
        positions[found] = i;
        line[found % 16] = lines[i];
        ++found;
        tallies[i].hash += tag;
        ++tallies[i].groups;
      }
    }
    const Lanes lanes = cells[g].lanes;
    switch (found) {
      case 0: break;
      case 1: add_fixed<1>(line, positions, lanes); break;
      case 2: add_fixed<2>(line, positions, lanes); break;
      case 3: add_fixed<3>(line, positions, lanes); break;
      case 4: add_fixed<4>(line, positions, lanes); break;
      case 5: add_fixed<5>(line, positions, lanes); break;
      case 6: add_fixed<6>(line, positions, lanes); break;
      case 7: add_fixed<7>(line, positions, lanes); break;
      case 8: add_fixed<8>(line, positions, lanes); break;
      case 9: add_fixed<9>(line, positions, lanes); break;
      case 10: add_fixed<10>(line, positions, lanes); break;
      case 11: add_fixed<11>(line, positions, lanes); break;
      case 12: add_fixed<12>(line, positions, lanes); break;
      default:
        for (std::size_t a = 0; a < found; ++a) {
          Cell* const cells_of_line = lines[positions[a]];
          for (std::size_t b = a; b < found; ++b) cells_of_line[positions[b]].lanes += lanes;
        }
    }
  }
}

OPTITREE_MULTIVERSION
void subtract(Cell* out, const Cell* whole, const Cell* part, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) out[k].lanes = whole[k].lanes - part[k].lanes;
}

// Of two chains the cell of (i, j) is the sum of the pairs of heads at or before i on the one and
// at or before j on the other, "before" being towards the smaller supports: first along the second
// chain, then along the first. Within a chain, both features are 1 where the smaller support is.
OPTITREE_MULTIVERSION
void add_up_cells(Cell* const* lines, std::size_t dimension, std::span<const Chain> chains) {
  for (const Chain& chain : chains) {
    for (std::size_t i = 0; i < chain.begin; ++i) {
      Lanes sum{};
      if (chain.rising) {
        for (std::size_t j = chain.begin; j < chain.end; ++j) {
          lines[i][j].lanes = sum += lines[i][j].lanes;
        }
      } else {
        for (std::size_t j = chain.end; j-- > chain.begin;) {
          lines[i][j].lanes = sum += lines[i][j].lanes;
        }
      }
    }
  }
  for (const Chain& chain : chains) {
    for (std::uint32_t k = 1; k < chain.length(); ++k) {
      const std::uint32_t at = chain.rising ? chain.begin + k : chain.end - 1 - k;
      const std::uint32_t before = chain.rising ? at - 1 : at + 1;
      Cell* const line = lines[at];
      const Cell* const smaller = lines[before];
      line[at].lanes += smaller[before].lanes;
      for (std::size_t j = chain.end; j < dimension; ++j) line[j].lanes += smaller[j].lanes;
    }
    for (std::size_t i = chain.begin; i < chain.end; ++i) {
      for (std::size_t j = i + 1; j < chain.end; ++j) {
        const std::size_t smaller = chain.rising ? i : j;
        lines[i][j] = lines[smaller][smaller];
      }
    }
  }
}

}  // namespace

void PairTable::set_dimension(std::size_t dimension) {
  dimension_ = dimension;
  if (cells_.size() < size()) cells_.resize(size());
  if (tallies_.size() < dimension) tallies_.resize(dimension);
}

void PairTable::reset(std::size_t dimension) {
  set_dimension(dimension);
  std::fill_n(cells_.begin(), size(), Cell{});
  std::fill_n(tallies_.begin(), dimension, Tally{});
}

void PairTable::add_bits(const Problem& problem, Members members, const std::uint64_t* bits,
                         const std::uint64_t* mask, const std::uint32_t* position_of) {
  positions_.resize(problem.most_ones() + 1);
  lines_.resize(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) lines_[i] = cells_.data() + offset(i);
  add_groups({lines_.data(), tallies_.data(), positions_.data()}, problem, members,
             {bits, problem.words(), mask, position_of});
}

void PairTable::add(const Problem& problem, Members members, const std::uint64_t* mask,
                    const std::vector<std::uint32_t>& position_of) {
  add_bits(problem, members, problem.bits(0), mask, position_of.data());
}

void PairTable::add_heads(const Problem& problem, Members members, const Axis& axis) {
  add_bits(problem, members, problem.chains().heads().data(), axis.heads.data(),
           axis.position_of.data());
}

void PairTable::add_up(const Axis& axis) {
  add_up_cells(lines_.data(), dimension_, axis.chains);
  for (const Chain& chain : axis.chains) {
    for (std::uint32_t k = 1; k < chain.length(); ++k) {
      const std::uint32_t at = chain.rising ? chain.begin + k : chain.end - 1 - k;
      const Tally& before = tallies_[chain.rising ? at - 1 : at + 1];
      tallies_[at] = {tallies_[at].hash + before.hash, tallies_[at].groups + before.groups};
    }
  }
}

void PairTable::clear(std::size_t i) {
  for (std::size_t k = 0; k < i; ++k) cells_[offset(k) + i] = {};
  std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(offset(i) + i), dimension_ - i, Cell{});
  tallies_[i] = {};
}

void PairTable::set_selection(const PairTable& whole, const std::vector<std::uint32_t>& kept) {
  set_dimension(kept.size());
  Cell* out = cells_.data();
  for (std::size_t i = 0; i < dimension_; ++i) {
    const Cell* line = whole.line(kept[i]);
    for (std::size_t j = i; j < dimension_; ++j) *out++ = line[kept[j]];
    tallies_[i] = whole.tallies_[kept[i]];
  }
}

void PairTable::set_difference(const PairTable& whole, const PairTable& part) {
  set_dimension(whole.dimension_);
  subtract(cells_.data(), whole.cells_.data(), part.cells_.data(), size());
  for (std::size_t i = 0; i < dimension_; ++i) {
    tallies_[i] = {whole.tallies_[i].hash - part.tallies_[i].hash,
                   whole.tallies_[i].groups - part.tallies_[i].groups};
  }
}

}  // namespace optitree
