#include "pairs.hpp"

namespace optitree {

namespace {

struct Target {
  Cell* cells;
  std::size_t dimension;
  std::uint64_t* hashes;
  std::uint32_t* groups;
  std::uint32_t* scratch;
};

OPTITREE_MULTIVERSION
void add_groups(const Target& target, const Cell* cells, const std::uint64_t* tags,
                const std::uint32_t* ones, const std::uint32_t* ones_begin,
                const std::int32_t* row_of, const std::uint32_t* members, std::size_t count) {
  for (std::size_t m = 0; m < count; ++m) {
    const std::uint32_t g = members[m];
    std::size_t rows = 0;
    for (std::uint32_t at = ones_begin[g]; at < ones_begin[g + 1]; ++at) {
      const std::int32_t row = row_of[ones[at]];
      target.scratch[rows] = static_cast<std::uint32_t>(row);
      rows += row >= 0;
    }
    const Lanes lanes = cells[g].lanes;
    const std::uint64_t tag = tags[g];
    for (std::size_t a = 0; a < rows; ++a) {
      const std::size_t i = target.scratch[a];
      target.hashes[i] += tag;
      target.groups[i] += 1;
      Cell* row = target.cells + (i * target.dimension - i * (i + 1) / 2);
      for (std::size_t b = a; b < rows; ++b) row[target.scratch[b]].lanes += lanes;
    }
  }
}

OPTITREE_MULTIVERSION
void subtract(Cell* out, const Cell* whole, const Cell* part, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) out[k].lanes = whole[k].lanes - part[k].lanes;
}

}  // namespace

void PairTable::add(const Problem& problem, const std::uint32_t* members, std::size_t count,
                    const std::vector<std::int32_t>& row_of) {
  rows_.resize(problem.most_ones() + 1);
  const Target target{cells_.data(), dimension_, hashes_.data(), groups_.data(), rows_.data()};
  add_groups(target, problem.cells(), problem.tags(), problem.ones(), problem.ones_begin(),
             row_of.data(), members, count);
}

void PairTable::set_selection(const PairTable& whole, const std::vector<std::uint32_t>& kept) {
  dimension_ = kept.size();
  cells_.resize(dimension_ * (dimension_ + 1) / 2);
  hashes_.resize(dimension_);
  groups_.resize(dimension_);
  Cell* out = cells_.data();
  for (std::size_t i = 0; i < dimension_; ++i) {
    const Cell* row = whole.row(kept[i]);
    for (std::size_t j = i; j < dimension_; ++j) *out++ = row[kept[j]];
    hashes_[i] = whole.hashes_[kept[i]];
    groups_[i] = whole.groups_[kept[i]];
  }
}

void PairTable::set_difference(const PairTable& whole, const PairTable& part) {
  dimension_ = whole.dimension_;
  cells_.resize(whole.cells_.size());
  subtract(cells_.data(), whole.cells_.data(), part.cells_.data(), cells_.size());
  hashes_.resize(dimension_);
  groups_.resize(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) {
    hashes_[i] = whole.hashes_[i] - part.hashes_[i];
    groups_[i] = whole.groups_[i] - part.groups_[i];
  }
}

}  // namespace optitree
