#include "costs/squared/exchange_costs.hpp"

#include <algorithm>
#include <bit>

#include "costs/leaf_bounds.hpp"
#include "costs/squared/leaf_cost.hpp"

namespace optitree {

namespace {

// About the nanoseconds for a group, for one of its ones, and for a node of a subtree.
constexpr std::size_t kWorkOfGroup = 20, kWorkOfOne = 2, kWorkOfNode = 6;

}  // namespace

const std::vector<double>& ExchangeCosts::measure(Members members, const Shape& where_not,
                                                  const Shape& where) {
  nodes_.clear();
  leaves_ = 0;
  flatten(where_not);
  second_ = nodes_.size();
  first_leaves_ = leaves_;
  flatten(where);
  add(members);
  add_up();
  const std::size_t features = problem_.features();
  costs_.assign(2 * features, kInfinity);
  sides_.resize(nodes_.size());
  for (std::size_t f = 0; f < features; ++f) {
    if (!parts(f)) continue;
    costs_[2 * f] = cost_of(0, f, true) + cost_of(second_, f, false);
    costs_[2 * f + 1] = cost_of(0, f, false) + cost_of(second_, f, true);
    work_ += 4 * kWorkOfNode * nodes_.size();
  }
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

// Each group to a leaf of either subtree: only its heads, where there are chains.
void ExchangeCosts::add(Members members) {
  const std::size_t features = problem_.features(), words = problem_.words();
  cells_.assign(static_cast<std::size_t>(leaves_) * features, Cell{});
  totals_.assign(static_cast<std::size_t>(leaves_), Cell{});
  const Chains& chains = problem_.chains();
  const std::uint64_t* const bits = chains.any() ? chains.heads().data() : problem_.bits(0);
  std::size_t ones = 0;
  for (const std::uint32_t g : members) {
    const Cell& cell = problem_.cell(g);
    Cell* rows[2];
    for (const std::size_t tree : {std::size_t{0}, second_}) {
      std::size_t at = tree;
      while (nodes_[at].leaf < 0) {
        at = static_cast<std::size_t>(nodes_[at].children[problem_.holds(nodes_[at].holds)(g)]);
      }
      const auto leaf = static_cast<std::size_t>(nodes_[at].leaf);
      totals_[leaf] = totals_[leaf] + cell;
      rows[tree == 0 ? 0 : 1] = &cells_[leaf * features];
    }
    for (std::size_t word = 0; word < words; ++word) {
      for (std::uint64_t rest = bits[g * words + word]; rest != 0; rest &= rest - 1) {
        const std::size_t f = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        for (Cell* const row : rows) row[f] = row[f] + cell;
        ++ones;
      }
    }
  }
  work_ = kWorkOfGroup * members.size() + 2 * kWorkOfOne * ones;
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
