#include "problem/pair_table.hpp"

#include <algorithm>
#include <bit>

namespace optitree {

namespace {

// Where groups are added.
struct Destination {
  Cell** lines;  // where the cells of each line begin, so that lines[i][j] is that of (i, j)
  Tally* tallies;
  std::uint32_t* positions;  // scratch: of the ones of a group
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
                const std::uint64_t* mask, const std::uint32_t* position_of) {
  Cell* const* const lines = to.lines;
  Tally* const tallies = to.tallies;
  std::uint32_t* const positions = to.positions;
  const Cell* const cells = problem.cells();
  const std::uint64_t* const tags = problem.tags();
  const std::uint64_t* const bits = problem.bits(0);
  const std::size_t words = problem.words();
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

void PairTable::add(const Problem& problem, Members members, const std::uint64_t* mask,
                    const std::vector<std::uint32_t>& position_of) {
  positions_.resize(problem.most_ones() + 1);
  lines_.resize(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) lines_[i] = cells_.data() + offset(i);
  add_groups({lines_.data(), tallies_.data(), positions_.data()}, problem, members, mask,
             position_of.data());
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
