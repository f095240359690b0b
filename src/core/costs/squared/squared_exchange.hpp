// Exchanging splits under squared error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/watch.hpp"
#include "costs/exchange.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/squared/exchange_costs.hpp"
#include "problem/problem.hpp"

namespace optitree {

class SquaredExchange : public Exchange {
 public:
  SquaredExchange(const Problem& problem, Pace& pace);

  Tree settle(const Tree& tree) override;
  // At the root another split takes the longest and may gain the most; further down each is cheap.
  // So every level has as much work as the others, and on a level the split that loses least goes
  // first.
  Tree better(const Tree& tree) override;

 private:
  using Groups = std::vector<std::uint32_t>;
  struct Costed {
    Tree tree;
    double cost;
  };
  // A subtree on its support and what it loses with each other split; infinite for those that have
  // been tried. That supports are told apart by their hash alone may cost a try, and no more.
  struct Place {
    Tree tree;
    std::uint64_t hash = 0;
    double cost = 0;
    std::vector<double> loses;
  };
  // A split to try: the way to its place, by the sides taken, and the literal (ExchangeCosts).
  struct Candidate {
    std::vector<int> way;
    Literal literal = 0;
    double loses = kInfinity;
  };
  using Places = std::unordered_map<const Shape*, Place>;

  Costed settle(const Groups& members, Tree tree, Depth left);
  Costed settle_sides(const Groups& members, const Tree& tree, Depth left);
  void look_at(const Groups& members, const Tree& tree, std::vector<int>& way, Places& known);
  Tree try_out(const Tree& tree, const Candidate& candidate);
  const std::vector<double>& measure(const Groups& members, const Shape& where_not,
                                     const Shape& where);

  const Problem& problem_;
  Pace& pace_;
  const Groups everything_;
  const Tree leaf_ = std::make_shared<const Shape>();
  ExchangeCosts costs_;
  std::size_t counted_ = 0;  // bytes of them
  Places places_;
  std::vector<Candidate> first_;  // by level
  std::vector<double> spent_;     // by level
};

}  // namespace optitree
