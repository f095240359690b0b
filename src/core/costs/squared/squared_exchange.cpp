#include "costs/squared/squared_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "costs/squared/leaf_cost.hpp"

namespace optitree {

namespace {

// A split is exchanged for one that is better by so much: more than rounding does to sums, so that
// there is an end to it.
constexpr double kWorthwhile = 1e-9;

std::vector<std::uint32_t> all_groups(const Problem& problem) {
  std::vector<std::uint32_t> groups(problem.groups());
  std::iota(groups.begin(), groups.end(), 0U);
  return groups;
}

// One subtree where the literal does not hold, and one where it does.
std::shared_ptr<const Shape> joined(Literal literal, const std::shared_ptr<const Shape>& where_not,
                                    const std::shared_ptr<const Shape>& where) {
  const bool ones = (literal & 1) != 0;
  return join(literal & ~1U, ones ? where_not : where, ones ? where : where_not);
}

}  // namespace

SquaredExchange::SquaredExchange(const Problem& problem, Pace& pace)
    : problem_(problem), pace_(pace), everything_(all_groups(problem)), costs_(problem, pace) {}

Exchange::Tree SquaredExchange::settle(const Tree& tree) {
  return settle(everything_, tree, problem_.restrictions().max_depth).tree;
}

const std::vector<double>& SquaredExchange::measure(const Groups& members, const Shape& where_not,
                                                    const Shape& where) {
  const std::vector<double>& found = costs_.measure(members, where_not, where);
  if (costs_.bytes() > counted_) {  // it is there already: over the limit the search ends
    pace_.take(costs_.bytes() - counted_);
    counted_ = costs_.bytes();
  }
  return found;
}

// From the leaves up. Each exchange makes the cost smaller, and settling the new sides does it no
// harm. A pause is not heeded: half of a tree settled is worth nothing.
SquaredExchange::Costed SquaredExchange::settle(const Groups& members, Tree tree, Depth left) {
  while (true) {
    Costed now = settle_sides(members, tree, left);
    if (left == 0 || members.size() < 2 || pace_.stopped()) return now;
    const bool is_leaf = now.tree->is_leaf();
    const Tree& zero = is_leaf ? leaf_ : now.tree->children[0];
    const Tree& one = is_leaf ? leaf_ : now.tree->children[1];
    const std::vector<double>& costs = measure(members, *zero, *one);
    const auto best = std::ranges::min_element(costs);
    if (!(*best < now.cost - kWorthwhile)) return now;
    tree = joined(static_cast<Literal>(best - costs.begin()), zero, one);
  }
}

// The subtrees, which may have come to other groups than they were made for: a split that no longer
// parts them, or leaves too few on a side, makes way for the subtree of the other side.
SquaredExchange::Costed SquaredExchange::settle_sides(const Groups& members, const Tree& tree,
                                                      Depth left) {
  Cell total;
  for (const std::uint32_t g : members) total = total + problem_.cell(g);
  pace_.spend(2 * members.size());
  const double as_leaf = leaf_cost(total, problem_.regularization());
  if (tree->is_leaf()) return {tree, as_leaf};
  const auto side = problem_.sides_of(members, tree->literal >> 1);
  Costed below_this[2];
  for (const std::size_t value : {0, 1}) {
    Cell there;
    for (const std::uint32_t g : side[value]) there = there + problem_.cell(g);
    if (!problem_.can_be_leaf(there)) return settle(members, tree->children[1 - value], left);
  }
  for (const std::size_t value : {0, 1}) {
    below_this[value] = settle(side[value], tree->children[value], below(left));
  }
  const auto& [zero, one] = below_this;
  if (!strictly_better(zero.cost + one.cost, as_leaf)) return {leaf_, as_leaf};
  const bool same = zero.tree == tree->children[0] && one.tree == tree->children[1];
  return {same ? tree : join(tree->literal, zero.tree, one.tree), zero.cost + one.cost};
}

Exchange::Tree SquaredExchange::better(const Tree& tree) {
  if (pace_.halted()) return nullptr;
  Places known = std::exchange(places_, {});
  std::vector<int> way;
  while (!pace_.halted()) {
    first_.assign(tree->depth, {});
    look_at(everything_, tree, way, known);
    spent_.resize(std::max<std::size_t>(spent_.size(), tree->depth));
    const Candidate* next = nullptr;
    std::size_t level = 0;
    for (std::size_t at = 0; at < first_.size(); ++at) {
      if (first_[at].loses == kInfinity) continue;
      if (next == nullptr || spent_[at] < spent_[level]) next = &first_[at], level = at;
    }
    if (next == nullptr) return nullptr;
    const std::size_t begin = pace_.spent();
    Tree other = try_out(tree, *next);
    spent_[level] += static_cast<double>(pace_.spent() - begin);
    if (other != nullptr) return other;
  }
  return nullptr;
}

// The best candidates at a place and below it.
void SquaredExchange::look_at(const Groups& members, const Tree& tree, std::vector<int>& way,
                              Places& known) {
  if (tree->is_leaf()) return;
  std::uint64_t hash = 0;
  for (const std::uint32_t g : members) hash += problem_.tag(g);
  Place& place = places_[tree.get()];
  if (place.tree == nullptr) {
    const auto before = known.find(tree.get());
    if (before != known.end() && before->second.hash == hash) {
      place = std::move(before->second);
    } else {
      place.tree = tree;
      place.hash = hash;
      place.loses = measure(members, *tree->children[0], *tree->children[1]);
      place.cost = place.loses[tree->literal | 1];
      for (double& loses : place.loses) loses -= place.cost;
      place.loses[tree->literal | 1] = kInfinity;
    }
  }
  const auto least = std::ranges::min_element(place.loses);
  Candidate& first = first_[way.size()];
  if (*least < first.loses) {
    first = {way, static_cast<Literal>(least - place.loses.begin()), *least};
  }
  const auto side = problem_.sides_of(members, tree->literal >> 1);
  pace_.spend(2 * members.size());
  for (const int value : {0, 1}) {
    way.push_back(value);
    look_at(side[static_cast<std::size_t>(value)], tree->children[value], way, known);
    way.pop_back();
  }
}

// The whole tree with that split at that place, if it costs less.
Exchange::Tree SquaredExchange::try_out(const Tree& tree, const Candidate& candidate) {
  Groups members = everything_;
  Depth left = problem_.restrictions().max_depth;
  std::vector<Tree> above{tree};
  for (const int value : candidate.way) {
    const auto side = static_cast<std::size_t>(value);
    members = std::move(problem_.sides_of(members, above.back()->literal >> 1)[side]);
    above.push_back(above.back()->children[side]);
    left = below(left);
  }
  Place& place = places_[above.back().get()];
  place.loses[candidate.literal] = kInfinity;
  const auto& [zero, one] = place.tree->children;
  Costed found = settle(members, joined(candidate.literal, zero, one), left);
  if (!(found.cost < place.cost - kWorthwhile)) return nullptr;
  for (std::size_t level = candidate.way.size(); level-- > 0;) {
    const Shape& parent = *above[level];
    Tree children[2] = {parent.children[0], parent.children[1]};
    children[candidate.way[level]] = std::move(found.tree);
    found.tree = join(parent.literal, children[0], children[1]);
  }
  return found.tree;
}

}  // namespace optitree
