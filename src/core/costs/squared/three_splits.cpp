#include "costs/squared/three_splits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/room.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/squared/leaf_cost.hpp"
#include "costs/squared/third_splits.hpp"
#include "problem/axis.hpp"

namespace optitree {

namespace {

// About the nanoseconds for a group and three heads, for three positions, and for two.
constexpr double kWorkOfGroup = 1.3, kWorkOfTriple = 8, kWorkOfPair = 40;
// Cells that are counted at a time: few enough to stay near.
constexpr std::size_t kCellsAtOnce = 2048;
// Positions, and slots in lines of cells, are numbered by 16 bits.
constexpr std::size_t kMostPositions = 0x7fff;

}  // namespace

double ThreeSplits::work(const Region& region, std::size_t groups) const {
  const auto size = static_cast<double>(region.axis.size());
  if (problem_.leaf_size().counts_rows() || region.axis.size() > kMostPositions) return kInfinity;
  const Chains& chains = problem_.chains();
  const double pairs = chains.any() ? chains.pairs_of_heads() : chains.pairs_of_ones();
  const double heads =
      (std::sqrt(1 + 8 * pairs) - 1) / 2 * size / static_cast<double>(problem_.features());
  const double triples = std::max(0.0, heads * (heads - 1) * (heads - 2) / 6);
  return kWorkOfGroup * static_cast<double>(groups) * (triples + 4 * heads) +
         size * size * (kWorkOfTriple * size / 6 + kWorkOfPair);
}

bool ThreeSplits::measure(const Region& region, Members members, const std::vector<bool>& wanted) {
  size_ = region.axis.size();
  stride_ = size_ + kLanes;
  if (!make_room_for(members.size())) return false;
  Axis axis = region.axis;
  axis.chains.clear();
  axis.heads = axis.mask;
  if (problem_.chains().any()) axis.link(problem_.chains());
  take_pairs(region);
  take_blocks(axis, wanted);
  take_heads(axis, members);
  pace_.spend(static_cast<std::size_t>(kWorkOfPair) * size_ * size_);
  for (std::size_t a = 0; a < blocks_.size(); ++a) {
    within(blocks_[a]);
    for (std::size_t b = a + 1; b < blocks_.size(); ++b) {
      within_second(blocks_[a], blocks_[b]);
      if (!with_later_blocks(a, b)) return false;
    }
  }
  return true;
}

bool ThreeSplits::make_room_for(std::size_t groups) {
  groups_ = groups;
  const std::size_t bytes =
      6 * size_ * stride_ * sizeof(double) +
      groups * (2 * size_ * sizeof(std::uint16_t) + sizeof(Pair) + 2 * sizeof(std::uint32_t));
  if (bytes > bytes_) {
    if (!pace_.take(bytes - bytes_)) return false;
    bytes_ = bytes;
  }
  for (auto* square : {&weight_, &sum_}) make_room(*square, size_ * stride_);
  for (auto* line : {&single_weight_, &single_sum_, &triple_weight_, &triple_sum_, &nothing_}) {
    make_room(*line, stride_);
  }
  make_room(gain_, 4 * size_ * stride_);
  make_room(group_, groups);
  make_room(common_, groups + 1);
  return true;
}

// Turned, so that four of a kind can be read at a time, and both halves of the square.
void ThreeSplits::take_pairs(const Region& region) {
  for (std::size_t i = 0; i < size_; ++i) {
    const Cell* const line = region.pairs.line(i);
    for (std::size_t j = i; j < size_; ++j) {
      weight_[i * stride_ + j] = weight_[j * stride_ + i] = line[j].weight();
      sum_[i * stride_ + j] = sum_[j * stride_ + i] = line[j].sum();
    }
    single_weight_[i] = line[i].weight();
    single_sum_[i] = line[i].sum();
  }
  total_[0] = region.total.weight();
  total_[1] = region.total.sum();
  std::fill_n(gain_.begin(), 4 * size_ * stride_, -kInfinity);
}

// Whether no group has a head on both: then none has the largest supports of both.
bool ThreeSplits::exclusive(const Chain& a, const Chain& b) const {
  const std::size_t largest_a = a.rising ? a.end - 1 : a.begin;
  const std::size_t largest_b = b.rising ? b.end - 1 : b.begin;
  return weight_[largest_a * stride_ + largest_b] == 0;
}

void ThreeSplits::take_blocks(const Axis& axis, const std::vector<bool>& wanted) {
  chains_.clear();
  chain_of_.resize(size_);
  auto longer = axis.chains.begin();
  for (std::uint32_t at = 0; at < size_; at = chains_.back().end) {
    const bool alone = longer == axis.chains.end() || longer->begin != at;
    const Chain chain = alone ? Chain{at, at + 1, true} : *longer++;
    std::fill(chain_of_.begin() + chain.begin, chain_of_.begin() + chain.end,
              static_cast<std::uint32_t>(chains_.size()));
    chains_.push_back(chain);
  }
  blocks_.clear();
  for (std::size_t c = 0; c < chains_.size();) {
    const std::size_t first = c++;
    const auto excludes_all = [&](const Chain& chain) {
      return std::all_of(chains_.begin() + static_cast<std::ptrdiff_t>(first),
                         chains_.begin() + static_cast<std::ptrdiff_t>(c),
                         [&](const Chain& before) { return exclusive(before, chain); });
    };
    while (c < chains_.size() && excludes_all(chains_[c])) ++c;
    const std::uint32_t begin = chains_[first].begin, end = chains_[c - 1].end;
    const bool some =
        std::find(wanted.begin() + begin, wanted.begin() + end, true) != wanted.begin() + end;
    blocks_.push_back({begin, end, first, c, some});
  }
}

void ThreeSplits::take_heads(const Axis& axis, Members members) {
  std::vector<std::uint32_t> block_of(size_);
  for (std::uint32_t k = 0; k < blocks_.size(); ++k) {
    std::fill(block_of.begin() + blocks_[k].begin, block_of.begin() + blocks_[k].end, k);
  }
  const Chains& all = problem_.chains();
  const std::size_t words = problem_.words(), blocks = blocks_.size();
  const std::uint64_t* const bits = all.any() ? all.heads().data() : problem_.bits(0);
  head_by_block_.assign(blocks * groups_, static_cast<std::uint16_t>(size_));
  make_room(slot_by_group_, blocks * groups_);
  for (std::size_t i = 0; i < groups_; ++i) {
    const std::uint32_t g = members[i];
    group_[i] = Pair{problem_.cell(g).weight(), problem_.cell(g).sum()};
    std::uint16_t* const slots = &slot_by_group_[i * blocks];
    for (std::size_t k = 0; k < blocks; ++k) {
      slots[k] = static_cast<std::uint16_t>(slot_of_block(k + 1) - 1);
    }
    for (std::size_t k = 0; k < words; ++k) {
      for (std::uint64_t rest = bits[g * words + k] & axis.heads[k]; rest != 0; rest &= rest - 1) {
        const auto feature = k * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        const std::uint32_t at = axis.position_of[feature];
        head_by_block_[block_of[at] * groups_ + i] = static_cast<std::uint16_t>(at);
        slots[block_of[at]] = static_cast<std::uint16_t>(at + block_of[at]);
      }
    }
  }
}

// f and g in one block: both hold where the one with the smaller support does, or nowhere.
void ThreeSplits::within(const Block& block) {
  for (std::size_t f = block.begin; f < block.end; ++f) {
    const Chain& chain = chains_[chain_of_[f]];
    for (std::size_t g = f + 1; g < block.end; ++g) {
      const std::size_t both = (chain.rising ? f : g) * stride_ + g + 1;
      Triples triples{nothing_.data(), nothing_.data()};
      if (g < chain.end) triples = {&weight_[both], &sum_[both]};
      evaluate(f, g, g + 1, size_, triples);
    }
  }
}

// f in the first block, g and the third position in the second.
void ThreeSplits::within_second(const Block& first, const Block& second) {
  for (std::size_t f = first.begin; f < first.end; ++f) {
    for (std::size_t g = second.begin; g + 1 < second.end; ++g) {
      const Chain& chain = chains_[chain_of_[g]];
      for (std::size_t third = g + 1; third < second.end; ++third) {
        const std::size_t both = f * stride_ + (chain.rising ? g : third);
        const bool nested = third < chain.end;
        triple_weight_[third - g - 1] = nested ? weight_[both] : 0;
        triple_sum_[third - g - 1] = nested ? sum_[both] : 0;
      }
      evaluate(f, g, g + 1, second.end, {triple_weight_.data(), triple_sum_.data()});
    }
  }
}

// f and g in two blocks, the third position in one after them: as many blocks at a time as have
// room near.
bool ThreeSplits::with_later_blocks(std::size_t a, std::size_t b) {
  const std::size_t lines = blocks_[a].length() * blocks_[b].length();
  bool listed = false;
  for (std::size_t from = b + 1, to = from; from < blocks_.size(); from = to) {
    bool wanted = blocks_[a].wanted || blocks_[b].wanted;
    do wanted = blocks_[to++].wanted || wanted;
    while (to < blocks_.size() && lines * (blocks_[to].end - blocks_[from].begin) <= kCellsAtOnce);
    if (!wanted) continue;
    if (!listed) list_common(a, b);
    listed = true;
    count(lines, from, to);
    add_up(blocks_[a], blocks_[b], from, to);
    const std::size_t cells = lines * (blocks_[to - 1].end - blocks_[from].begin);
    const double work = kWorkOfGroup * static_cast<double>(common_count_ * (to - from)) +
                        kWorkOfTriple * static_cast<double>(cells);
    pace_.spend(static_cast<std::size_t>(work));
    if (pace_.stopped()) return false;
  }
  return true;
}

void ThreeSplits::list_common(std::size_t a, std::size_t b) {
  const std::uint16_t* const first = &head_by_block_[a * groups_];
  const std::uint16_t* const second = &head_by_block_[b * groups_];
  const std::uint32_t length = blocks_[b].length();
  const std::uint32_t origin = blocks_[a].begin * length + blocks_[b].begin;
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < groups_; ++i) {  // no branch
    common_[found] = {i, first[i] * length + second[i] - origin};
    found += (first[i] < size_) & (second[i] < size_);
  }
  common_count_ = found;
}

void ThreeSplits::count(std::size_t lines, std::size_t from, std::size_t to) {
  const std::size_t begin = slot_of_block(from), width = slot_of_block(to) - begin;
  make_room(cells_, lines * width);
  std::fill_n(cells_.begin(), lines * width, Pair{});
  Pair* const cells = cells_.data() - begin;
  for (std::size_t k = 0; k < common_count_; ++k) {
    const auto [i, at] = common_[k];
    const std::uint16_t* const slots = &slot_by_group_[i * blocks_.size()];
    Pair* const line = cells + at * width;
    const Pair pair = group_[i];
    for (std::size_t c = from; c < to; ++c) line[slots[c]] += pair;
  }
}

// Calls add() with each position of a block that has a smaller one on its chain, and with that one:
// smaller ones first.
template <typename Add>
void ThreeSplits::along_chains(const Block& block, Add add) const {
  for (std::size_t c = block.first_chain; c < block.last_chain; ++c) {
    const Chain& chain = chains_[c];
    for (std::uint32_t k = 1; k < chain.length(); ++k) {
      if (chain.rising) add(chain.begin + k, chain.begin + k - 1);
      else add(chain.end - 1 - k, chain.end - k);
    }
  }
}

// Along the chains of the third blocks, then along those of the second, then of the first.
void ThreeSplits::add_up(const Block& first, const Block& second, std::size_t from,
                         std::size_t to) {
  const std::uint32_t begin = blocks_[from].begin, end = blocks_[to - 1].end;
  const std::size_t first_slot = slot_of_block(from), width = slot_of_block(to) - first_slot;
  const auto line = [&](std::size_t f, std::size_t g) {
    return &cells_[((f - first.begin) * second.length() + (g - second.begin)) * width];
  };
  const auto add = [&](Pair* to_line, const Pair* smaller) {
    for (std::size_t k = 0; k < width; ++k) to_line[k] += smaller[k];
  };
  for (std::size_t k = 0; k < first.length() * second.length(); ++k) {
    Pair* const cells = &cells_[k * width];
    for (std::size_t c = from; c < to; ++c) {
      Pair* const of_block = cells + (slot_of_block(c) - first_slot);
      along_chains(blocks_[c], [&](std::uint32_t at, std::uint32_t before) {
        of_block[at - blocks_[c].begin] += of_block[before - blocks_[c].begin];
      });
    }
  }
  for (std::size_t f = first.begin; f < first.end; ++f) {
    along_chains(
        second, [&](std::uint32_t at, std::uint32_t before) { add(line(f, at), line(f, before)); });
  }
  along_chains(first, [&](std::uint32_t at, std::uint32_t before) {
    for (std::size_t g = second.begin; g < second.end; ++g) add(line(at, g), line(before, g));
  });
  for (std::size_t f = first.begin; f < first.end; ++f) {
    for (std::size_t g = second.begin; g < second.end; ++g) {
      const Pair* cells = line(f, g);
      for (std::size_t c = from; c < to; ++c) {
        for (std::size_t at = blocks_[c].begin - begin; at < blocks_[c].end - begin;
             ++at, ++cells) {
          triple_weight_[at] = (*cells)[0];
          triple_sum_[at] = (*cells)[1];
        }
        ++cells;  // no head
      }
      evaluate(f, g, begin, end, {triple_weight_.data(), triple_sum_.data()});
    }
  }
}

void ThreeSplits::evaluate(std::size_t f, std::size_t g, std::size_t third, std::size_t end,
                           Triples triples) {
  if (third >= end) return;
  const std::size_t of_f = f * stride_ + third, of_g = g * stride_ + third;
  ThirdSplits line{.f = {single_weight_[f], single_sum_[f]},
                   .g = {single_weight_[g], single_sum_[g]},
                   .both = {weight_[f * stride_ + g], sum_[f * stride_ + g]},
                   .all = {total_[0], total_[1]},
                   .triple_weight = triples.weight,
                   .triple_sum = triples.sum,
                   .f_weight = &weight_[of_f],
                   .f_sum = &sum_[of_f],
                   .g_weight = &weight_[of_g],
                   .g_sum = &sum_[of_g],
                   .weight = &single_weight_[third],
                   .sum = &single_sum_[third],
                   .count = end - third,
                   .least_size = problem_.leaf_size().least,
                   .of_f = {},
                   .of_g = {},
                   .of_both = {}};
  for (std::size_t q = 0; q < 4; ++q) {
    line.of_f[q] = &gain_[(4 * f + q) * stride_ + third];
    line.of_g[q] = &gain_[(4 * g + q) * stride_ + third];
    line.of_both[q] = gain_[(4 * f + q) * stride_ + g];
  }
  measure_third_splits(line);
  for (std::size_t q = 0; q < 4; ++q) gain_[(4 * f + q) * stride_ + g] = line.of_both[q];
}

DepthTwo ThreeSplits::best(const Region& region, std::uint32_t position, int side) const {
  const double lambda = problem_.regularization();
  const Cell& ones = region.pairs.diagonal(position);
  const Cell all = side == 1 ? ones : region.total - ones;
  DepthTwo best{leaf_cost(all, lambda), 1};
  for (std::uint32_t second = 0; second < size_; ++second) {
    if (second == position) continue;
    const Cell& both = region.pairs.at(position, second);
    const Cell yes = side == 1 ? both : region.pairs.diagonal(second) - both;
    const Cell no = all - yes;
    if (!problem_.can_be_leaf(yes) || !problem_.can_be_leaf(no)) continue;
    DepthTwo tree{0, 0};
    for (const int value : {1, 0}) {
      const Cell& part = value == 1 ? yes : no;
      const bool in_order = position < second;
      const int quadrant = in_order ? 2 * (1 - side) + (1 - value) : 2 * (1 - value) + (1 - side);
      const double split =
          2 * lambda +
          (part.square() - gain(std::min(position, second), std::max(position, second), quadrant));
      const double leaf = leaf_cost(part, lambda);
      tree.cost += std::min(split, leaf);
      tree.leaves += split < leaf ? 2 : 1;
    }
    if (tree.cost < best.cost) best = tree;
  }
  return best;
}

}  // namespace optitree
