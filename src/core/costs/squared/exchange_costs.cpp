#include "costs/squared/exchange_costs.hpp"

#include <algorithm>
#include <bit>

#include "costs/leaf_bounds.hpp"
#include "costs/squared/leaf_cost.hpp"

namespace optitree {

namespace {

// About the nanoseconds for a group, for one of its ones, and for a node of a subtree.
constexpr std::size_t kWorkOfGroup = 20, kWorkOfOne = 2, kWorkOfNode = 6;
// Groups that are added before the clock is looked at.
constexpr std::size_t kAtOnce = 100'000;

}  // namespace

const std::vector<double>& ExchangeCosts::measure(Members members, const Shape& where_not,
                                                  const Shape& where) {
  nodes_.clear();
  leaves_ = 0;
  flatten(where_not);
  second_ = nodes_.size();
  first_leaves_ = leaves_;
  flatten(where);
  const std::size_t features = problem_.features();
  costs_.assign(2 * features, kInfinity);
  if (!add(members)) return costs_;
  add_up();
  sides_.resize(nodes_.size());
  std::size_t parting = 0;
  for (std::size_t f = 0; f < features; ++f) {
    if (!parts(f)) continue;
    costs_[2 * f] = cost_of(0, f, true) + cost_of(second_, f, false);
    costs_[2 * f + 1] = cost_of(0, f, false) + cost_of(second_, f, true);
    ++parting;
  }
  pace_.spend(4 * kWorkOfNode * parting * nodes_.size());
  return costs_;
}

std::int32_t ExchangeCosts::flatten(const Shape& tree) {
  const auto at = nodes_.size();
  nodes_.push_back({tree.literal | 1, {-1, -1}, -1});
  if (tree.is_leaf()) {
    nodes_[at].leaf = leaves_++;
  } else {
    for (const std::size_t value : {0, 1}) {
      const std::int32_t child = flatten(*tree.children[value]);
      nodes_[at].children[value] = child;
    }
  }
  return static_cast<std::int32_t>(at);
}

// False if the search was stopped.
bool ExchangeCosts::add(Members members) {
  cells_.assign(static_cast<std::size_t>(leaves_) * problem_.features(), Cell{});
  totals_.assign(static_cast<std::size_t>(leaves_), Cell{});
  for (std::size_t begin = 0; begin < members.size() && !pace_.stopped(); begin += kAtOnce) {
    const Members some = members.subspan(begin, std::min(kAtOnce, members.size() - begin));
    ones_ = 0;
    for (const std::uint32_t g : some) add(g);
    pace_.spend(kWorkOfGroup * some.size() + 2 * kWorkOfOne * ones_);
  }
  return !pace_.stopped();
}

// To a leaf of either subtree: only its heads, where there are chains.
void ExchangeCosts::add(std::uint32_t group) {
  const Cell& cell = problem_.cell(group);
  Cell* rows[2];
  for (const std::size_t tree : {std::size_t{0}, second_}) {
    std::size_t at = tree;
    while (nodes_[at].leaf < 0) {
      at = static_cast<std::size_t>(nodes_[at].children[problem_.holds(nodes_[at].holds)(group)]);
    }
    const auto leaf = static_cast<std::size_t>(nodes_[at].leaf);
    totals_[leaf] = totals_[leaf] + cell;
    rows[tree == 0 ? 0 : 1] = &cells_[leaf * problem_.features()];
  }
  const Chains& chains = problem_.chains();
  const std::size_t words = problem_.words();
  const std::uint64_t* const bits =
      chains.any() ? &chains.heads()[group * words] : problem_.bits(group);
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      const std::size_t f = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      for (Cell* const row : rows) row[f] = row[f] + cell;
      ++ones_;
    }
  }
}

// A feature of a chain is 1 where it or one with a smaller support is a head.
void ExchangeCosts::add_up() {
  const Chains& chains = problem_.chains();
  if (!chains.any()) return;
  for (std::size_t leaf = 0; leaf < totals_.size(); ++leaf) {
    Cell* const row = &cells_[leaf * problem_.features()];
    for (const Chain& chain : chains.all()) {
      if (chain.rising) {
        for (std::size_t f = chain.begin + 1; f < chain.end; ++f) row[f] = row[f] + row[f - 1];
      } else {
        for (std::size_t f = chain.end - 1; f-- > chain.begin;) row[f] = row[f] + row[f + 1];
      }
    }
  }
}

// Whether there are groups on both sides of a feature. The leaves of the first subtree have all.
bool ExchangeCosts::parts(std::size_t feature) const {
  double ones = 0, all = 0;
  for (std::int32_t leaf = 0; leaf < first_leaves_; ++leaf) {
    ones += row(leaf)[feature].weight();
    all += totals_[static_cast<std::size_t>(leaf)].weight();
  }
  return ones > 0 && ones < all;
}

ExchangeCosts::Side ExchangeCosts::leaf(const Cell& cell) const {
  if (cell.weight() == 0) return {0, cell};
  const bool allowed = problem_.can_be_leaf(cell);
  return {allowed ? leaf_cost(cell, problem_.regularization()) : kInfinity, cell};
}

ExchangeCosts::Side ExchangeCosts::joined(const Side& zero, const Side& one) const {
  const Side both = leaf(zero.cell + one.cell);
  return {std::min(zero.cost + one.cost, both.cost), both.cell};
}

// Of a subtree where a feature is 1, or where it is 0.
double ExchangeCosts::cost_of(std::size_t root, std::size_t feature, bool ones) {
  const std::size_t end = root == 0 ? second_ : nodes_.size();
  for (std::size_t at = end; at-- > root;) {
    const Node& node = nodes_[at];
    if (node.leaf < 0) {
      const auto [zero, one] = node.children;
      sides_[at] =
          joined(sides_[static_cast<std::size_t>(zero)], sides_[static_cast<std::size_t>(one)]);
    } else {
      const Cell& there = row(node.leaf)[feature];
      sides_[at] = leaf(ones ? there : totals_[static_cast<std::size_t>(node.leaf)] - there);
    }
  }
  return sides_[root].cost;
}

}  // namespace optitree
