#include "table/greedy_splits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "table/level_sets.hpp"
#include "table/target_sums.hpp"

namespace optitree {

namespace {

constexpr double kNoise = 1e-12;                         // of the root's sum of squares
constexpr std::size_t kMostKept = std::size_t{1} << 23;  // tallies in histograms: 128 MiB
// What is counted at a time, to stay in cache: rows, and tallies (1 MiB), of a column at least.
constexpr std::size_t kBlock = 2048, kCounted = std::size_t{1} << 16;

// Exact sums. Terms are rounded once, to multiples of a step: the power of two for which the
// largest absolute value is at most 2^b steps, b = 62 - ceil(log2(rows)). A sum over any set of
// rows is then an integer of at most rows * 2^b <= 2^62 steps. It fits 64 bits, as do all partial
// sums, so the order of the rows leaves no trace, and the sums of a child are those of its parent
// minus that of its sibling, bit for bit.
template <typename Term>
double step_of(std::size_t rows, const Term& term) {
  double largest = 0;
  for (std::size_t row = 0; row < rows; ++row) largest = std::max(largest, std::abs(term(row)));
  int exponent = 0;
  std::frexp(largest, &exponent);  // largest < 2^exponent
  return std::ldexp(1.0, exponent - 62 + static_cast<int>(std::bit_width(rows - 1)));
}

std::int64_t steps(double term, double step) { return std::llrint(term / step); }

template <typename Term>
double exact_sum(std::size_t rows, const Term& term) {
  const double step = step_of(rows, term);
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < rows; ++row) sum += steps(term(row), step);
  return static_cast<double>(sum) * step;
}

struct TreeLeaf {
  std::size_t begin;  // its rows, a range of Grower::rows_
  std::size_t end;
  TargetSums total;
  ProposedSplit best{};                 // gain in steps; 0: none
  TargetSums left{};                    // what the best split puts to the left
  std::vector<TargetSums> histogram{};  // sums for each code of each column; empty: not kept

  std::size_t rows() const { return end - begin; }
  // Compared without a division, and so that a split and its mirror image gain the same, bit for
  // bit.
  void offer(std::uint32_t column, std::uint32_t code, const TargetSums& side, double noise) {
    const TargetSums rest = total - side;
    const auto side_weight = static_cast<double>(side.weight);
    const auto rest_weight = static_cast<double>(rest.weight);
    const double contrast =
        static_cast<double>(side.sum) * rest_weight - static_cast<double>(rest.sum) * side_weight;
    const double scale = side_weight * rest_weight * static_cast<double>(total.weight);
    if (contrast * contrast > (best.gain + noise) * scale) {
      best = {column, code, contrast * contrast / scale, {}};
      left = side;
    }
  }
};

void merge(std::vector<ProposedSplit>& splits, const ProposedSplit& split) {
  const auto same = std::ranges::find_if(splits, [&](const ProposedSplit& other) {
    return other.column == split.column && other.code == split.code && other.levels == split.levels;
  });
  if (same == splits.end()) splits.push_back(split);
  else same->gain += split.gain;
}

// Grows one greedy tree after the other, each on the residuals of those before.
class Grower {
 public:
  Grower(std::span<const CodedColumn> columns, std::span<const double> target,
         std::span<const double> weight, Lookout& lookout)
      : columns_(columns),
        weight_(weight),
        lookout_(lookout),
        residual_(target.begin(), target.end()),
        sums_of_row_(target.size()),
        sums_of_node_(target.size()),
        rows_(target.size()),
        right_(target.size()) {
    std::uint32_t most = 0;
    for (const CodedColumn& column : columns_) {
      codes_ += column.size;
      most = std::max(most, column.size);
    }
    few_.resize(most);
    in_set_.resize(most);
    seen_.resize(most / 64 + 1);
    const auto [low, high] = std::ranges::minmax(target);
    for (double& value : residual_) value -= low + (high - low) / 2;
    weigh();
  }

  // False if there was nothing to split.
  bool grow(std::uint32_t max_leaves, std::vector<ProposedSplit>& splits) {
    plant();
    while (leaves_.size() < max_leaves) {
      TreeLeaf* leaf = best_leaf();
      if (leaf == nullptr) break;
      const ProposedSplit& best = leaf->best;
      merge(splits, {best.column, best.code, best.gain * gain_step(), best.levels});
      split(*leaf, leaves_.size() + 1 == max_leaves);
    }
    return leaves_.size() > 1;
  }

  // Takes `rate` times the last tree off the residuals.
  void take_off(double rate) {
    for (const TreeLeaf& leaf : leaves_) {
      const double mean = static_cast<double>(leaf.total.sum) * sum_step_ /
                          (static_cast<double>(leaf.total.weight) * weight_step_);
      for (std::size_t i = leaf.begin; i < leaf.end; ++i) residual_[rows_[i]] -= rate * mean;
    }
  }

 private:
  double weight(std::size_t row) const { return weight_.empty() ? 1 : weight_[row]; }
  double gain_step() const { return sum_step_ * sum_step_ / weight_step_; }
  // Histograms pay where a node has several rows per code. The ancestors had more rows, and fewer
  // leaves beside them: where this holds for a node, they all kept theirs.
  bool keeps(const TreeLeaf& node) const {
    return node.rows() * columns_.size() > 4 * codes_ && (leaves_.size() + 1) * codes_ <= kMostKept;
  }

  void weigh() {
    const std::size_t rows = rows_.size();
    const auto term = [&](std::size_t row) { return weight(row); };
    weight_step_ = step_of(rows, term);
    for (std::size_t row = 0; row < rows; ++row) {
      // A positive weight never vanishes, however small beside the others.
      sums_of_row_[row].weight = std::max<std::int64_t>(steps(term(row), weight_step_), 1);
    }
    const auto sum = [&](std::size_t row) { return weight(row) * residual_[row]; };
    const double mean = exact_sum(rows, sum) / exact_sum(rows, term);
    least_gain_ = kNoise * exact_sum(rows, [&](std::size_t row) {
                    return weight(row) * (residual_[row] - mean) * (residual_[row] - mean);
                  });
  }

  // All rows in one leaf, with the sums of the residuals as they are now.
  void plant() {
    const auto term = [&](std::size_t row) { return weight(row) * residual_[row]; };
    sum_step_ = step_of(rows_.size(), term);
    noise_ = least_gain_ / gain_step();
    TreeLeaf root{0, rows_.size(), {}};
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      sums_of_row_[row].sum = steps(term(row), sum_step_);
      root.total = root.total + sums_of_row_[row];
    }
    std::iota(rows_.begin(), rows_.end(), 0U);
    for (TreeLeaf& leaf : leaves_) {
      if (!leaf.histogram.empty()) spare_.push_back(std::move(leaf.histogram));
    }
    leaves_.clear();
    lookout_.spend(8 * rows_.size());
    if (keeps(root)) count(root);
    find_best(root);
    leaves_.push_back(std::move(root));
  }

  TreeLeaf* best_leaf() {
    TreeLeaf* best = nullptr;
    for (TreeLeaf& leaf : leaves_) {
      if (leaf.best.gain > (best == nullptr ? 0 : best->best.gain + noise_)) best = &leaf;
    }
    return best;
  }

  // After the last split nobody asks for the best splits of the children.
  void split(TreeLeaf& leaf, bool last) {
    const std::size_t middle = part(leaf);
    TreeLeaf left{leaf.begin, middle, leaf.left};
    TreeLeaf right{middle, leaf.end, leaf.total - leaf.left};
    if (!last) {
      const bool left_is_small = left.rows() < right.rows();
      if (keeps(leaf)) share(leaf, left_is_small ? left : right, left_is_small ? right : left);
      find_best(left);
      find_best(right);
    }
    leaf = std::move(left);
    leaves_.push_back(std::move(right));
  }

  // Puts the rows on the left of the best split first. Both sides stay ascending, so that columns
  // are read forwards.
  std::size_t part(const TreeLeaf& node) {
    const CodedColumn& column = columns_[node.best.column];
    for (const std::uint16_t code : node.best.levels) in_set_[code] = 1;
    std::size_t left = node.begin;
    std::size_t right = 0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::uint32_t row = rows_[i];
      const std::uint32_t code = column.codes[row];
      const bool is_left = column.ordered ? code <= node.best.code : in_set_[code] != 0;
      rows_[left] = right_[right] = row;
      left += is_left;
      right += !is_left;
    }
    std::copy_n(right_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
    for (const std::uint16_t code : node.best.levels) in_set_[code] = 0;
    return left;
  }

  // The smaller child is counted, the larger is the rest of the parent.
  void share(TreeLeaf& parent, TreeLeaf& small, TreeLeaf& large) {
    count(small);
    large.histogram = std::move(parent.histogram);
    std::ranges::transform(large.histogram, small.histogram, large.histogram.begin(),
                           std::minus<>{});
  }

  void count(TreeLeaf& node) {
    if (!spare_.empty()) {
      node.histogram = std::move(spare_.back());
      spare_.pop_back();
    }
    node.histogram.assign(codes_, TargetSums{});
    for (std::size_t i = 0; i < node.rows(); ++i) {
      sums_of_node_[i] = sums_of_row_[rows_[node.begin + i]];
    }
    TargetSums* histogram = node.histogram.data();
    for (std::size_t first = 0, end = 0; first < columns_.size(); first = end) {
      std::size_t codes = columns_[end++].size;
      while (end < columns_.size() && codes + columns_[end].size <= kCounted) {
        codes += columns_[end++].size;
      }
      count(node, columns_.subspan(first, end - first), histogram);
      histogram += codes;
    }
  }

  // Of some of the columns, for a few rows at a time.
  void count(const TreeLeaf& node, std::span<const CodedColumn> columns, TargetSums* histogram) {
    for (std::size_t begin = 0; begin < node.rows(); begin += kBlock) {
      const std::uint32_t* rows = rows_.data() + node.begin + begin;
      const TargetSums* sums_of = sums_of_node_.data() + begin;
      const std::size_t size = std::min(kBlock, node.rows() - begin);
      TargetSums* by_code = histogram;
      for (const CodedColumn& column : columns) {
        const std::uint16_t* codes = column.codes.data();
        for (std::size_t i = 0; i < size; ++i) {
          TargetSums& sums = by_code[codes[rows[i]]];
          sums = sums + sums_of[i];
        }
        by_code += column.size;
      }
      lookout_.spend(2 * size * columns.size());
    }
  }

  void find_best(TreeLeaf& node) {
    const TargetSums* by_code = node.histogram.data();
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].ordered) {
        TargetSums side;
        visit_codes(node, columns_[c], by_code, [&](std::uint32_t code, const TargetSums& sums) {
          side = side + sums;
          node.offer(c, code, side, noise_);
        });
      } else {
        find_best_set(node, c, by_code);
      }
      if (!node.histogram.empty()) by_code += columns_[c].size;
    }
  }

  void find_best_set(TreeLeaf& node, std::uint32_t c, const TargetSums* by_code) {
    sets_.clear();
    visit_codes(node, columns_[c], by_code,
                [&](std::uint32_t code, const TargetSums& sums) { sets_.add(code, sums); });
    sets_.order(node.total, columns_[c].size - 1, columns_[c].pull / weight_step_);
    const double before = node.best.gain;
    sets_.visit(
        [&](std::uint32_t number, const TargetSums& side) { node.offer(c, number, side, noise_); });
    if (node.best.gain == before) return;
    node.best.levels = sets_.codes(node.best.code);
    node.best.code = 0;
  }

  // The codes of a column in a node, ascending, with their sums; from its histogram if it has one.
  template <typename Visit>
  void visit_codes(const TreeLeaf& node, const CodedColumn& column, const TargetSums* by_code,
                   const Visit& visit) {
    if (node.histogram.empty()) {
      visit_few(node, column, visit);
      lookout_.spend(4 * node.rows());
      return;
    }
    for (std::uint32_t code = 0; code < column.size; ++code) {
      if (by_code[code].weight > 0) visit(code, by_code[code]);
    }
    lookout_.spend(4 * column.size);
  }

  // The codes of a node without a histogram, in time proportional to its rows: only codes seen are
  // visited and cleared.
  template <typename Offer>
  void visit_few(const TreeLeaf& node, const CodedColumn& column, const Offer& offer) {
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::uint32_t code = column.codes[rows_[i]];
      few_[code] = few_[code] + sums_of_row_[rows_[i]];
      seen_[code / 64] |= std::uint64_t{1} << (code % 64);
    }
    for (std::uint32_t word = 0; word * 64 < column.size; ++word) {
      for (std::uint64_t rest = std::exchange(seen_[word], 0); rest != 0; rest &= rest - 1) {
        const std::uint32_t code = word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
        offer(code, std::exchange(few_[code], TargetSums{}));
      }
    }
  }

  std::span<const CodedColumn> columns_;
  std::span<const double> weight_;
  Lookout& lookout_;
  std::size_t codes_ = 0;  // of all columns
  double weight_step_ = 1;
  double sum_step_ = 1;
  double least_gain_ = 0;
  double noise_ = 0;  // the same in steps
  std::vector<double> residual_;
  std::vector<TargetSums> sums_of_row_;   // by row
  std::vector<TargetSums> sums_of_node_;  // room for count()
  std::vector<std::uint32_t> rows_;       // leaf by leaf, ascending in each
  std::vector<std::uint32_t> right_;      // room for part()
  std::vector<TreeLeaf> leaves_;
  std::vector<std::vector<TargetSums>> spare_;  // histograms of earlier trees: room for others
  std::vector<TargetSums> few_;  // by code; all zero between calls of visit_few(), as is seen_
  std::vector<std::uint64_t> seen_;
  LevelSets sets_;                    // room for find_best_set()
  std::vector<std::uint8_t> in_set_;  // by code; all zero between calls of part()
};

}  // namespace

std::vector<ProposedSplit> greedy_splits(std::span<const CodedColumn> columns,
                                         std::span<const double> target,
                                         std::span<const double> weight, std::uint32_t max_leaves,
                                         Lookout lookout) {
  std::vector<ProposedSplit> splits;
  if (!target.empty()) Grower(columns, target, weight, lookout).grow(max_leaves, splits);
  return splits;
}

std::vector<ProposedSplit> boosted_splits(std::span<const CodedColumn> columns,
                                          std::span<const double> target,
                                          std::span<const double> weight, const Ensemble& ensemble,
                                          Lookout lookout) {
  std::vector<ProposedSplit> splits;
  if (target.empty()) return splits;
  Grower grower(columns, target, weight, lookout);
  for (std::uint32_t round = 0; round < ensemble.rounds; ++round) {
    if (!grower.grow(ensemble.leaves, splits)) break;
    grower.take_off(ensemble.rate);
  }
  std::ranges::sort(splits, [](const ProposedSplit& a, const ProposedSplit& b) {
    return std::tie(b.gain, a.column, a.code, a.levels) <
           std::tie(a.gain, b.column, b.code, b.levels);
  });
  return splits;
}

}  // namespace optitree
