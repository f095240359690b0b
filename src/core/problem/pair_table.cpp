#include "problem/pair_table.hpp"

#include <algorithm>
#include <bit>

namespace optitree {

namespace {

struct Target {
  Cell** rows;  // where the cells of each row begin, so that rows[i][j] is that of (i, j)
  Tally* tallies;
  std::uint32_t* scratch;
};

// Adds a group to the cells of all pairs of its K rows. Unrolled: with a handful of rows a group,
// nested loops would spend their time on mispredicted exits.
template <std::size_t K>
inline __attribute__((always_inline)) void add_fixed(Cell* const* row, const std::uint32_t* rows,
                                                     const Lanes& lanes) {
#pragma GCC unroll 16
  for (std::size_t a = 0; a < K; ++a) {
#pragma GCC unroll 16
    for (std::size_t b = a; b < K; ++b) row[a][rows[b]].lanes += lanes;
  }
}

OPTITREE_MULTIVERSION
void add_groups(const Target& target, const Cell* cells, const std::uint64_t* tags,
                const std::uint64_t* bits, std::size_t words, const std::uint64_t* mask,
                const std::uint32_t* row_of, const std::uint32_t* members, std::size_t count) {
  Cell* const* const begin = target.rows;
  Tally* const tallies = target.tallies;
  std::uint32_t* const rows = target.scratch;
  Cell* row[16];
  for (std::size_t m = 0; m < count; ++m) {
    const std::uint32_t g = members[m];
    const std::uint64_t tag = tags[g];
    std::size_t found = 0;
    for (std::size_t word = 0; word < words; ++word) {
      std::uint64_t ones = bits[g * words + word] & mask[word];
      for (; ones != 0; ones &= ones - 1) {
        const std::uint32_t i =
            row_of[word * 64 + static_cast<std::size_t>(std::countr_zero(ones))];
        rows[found] = i;
        row[found % 16] = begin[i];
        ++found;
        tallies[i].hash += tag;
        ++tallies[i].groups;
      }
    }
    const Lanes lanes = cells[g].lanes;
    switch (found) {
      case 0: break;
      case 1: add_fixed<1>(row, rows, lanes); break;
      case 2: add_fixed<2>(row, rows, lanes); break;
      case 3: add_fixed<3>(row, rows, lanes); break;
      case 4: add_fixed<4>(row, rows, lanes); break;
      case 5: add_fixed<5>(row, rows, lanes); break;
      case 6: add_fixed<6>(row, rows, lanes); break;
      case 7: add_fixed<7>(row, rows, lanes); break;
      case 8: add_fixed<8>(row, rows, lanes); break;
      case 9: add_fixed<9>(row, rows, lanes); break;
      case 10: add_fixed<10>(row, rows, lanes); break;
      case 11: add_fixed<11>(row, rows, lanes); break;
      case 12: add_fixed<12>(row, rows, lanes); break;
      default:
        for (std::size_t a = 0; a < found; ++a) {
          Cell* const cells_of_row = begin[rows[a]];
          for (std::size_t b = a; b < found; ++b) cells_of_row[rows[b]].lanes += lanes;
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

void PairTable::add(const Problem& problem, const std::uint32_t* members, std::size_t count,
                    const std::uint64_t* mask, const std::vector<std::uint32_t>& row_of) {
  rows_.resize(problem.most_ones() + 1);
  row_begins_.resize(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) row_begins_[i] = cells_.data() + offset(i);
  const Target target{row_begins_.data(), tallies_.data(), rows_.data()};
  add_groups(target, problem.cells(), problem.tags(), problem.bits(0), problem.words(), mask,
             row_of.data(), members, count);
}

void PairTable::clear_row(std::size_t i) {
  for (std::size_t k = 0; k < i; ++k) cells_[offset(k) + i] = {};
  std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(offset(i) + i), dimension_ - i, Cell{});
  tallies_[i] = {};
}

void PairTable::set_selection(const PairTable& whole, const std::vector<std::uint32_t>& kept) {
  set_dimension(kept.size());
  Cell* out = cells_.data();
  for (std::size_t i = 0; i < dimension_; ++i) {
    const Cell* row = whole.row(kept[i]);
    for (std::size_t j = i; j < dimension_; ++j) *out++ = row[kept[j]];
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
