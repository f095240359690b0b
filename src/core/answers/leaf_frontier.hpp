// The least loss of trees with at most so many leaves, on top of a search that counts a penalty for
// each leaf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"
#include "search/node_map.hpp"
#include "search/worker.hpp"

namespace optitree {

// For a support with some depth left and k = 1, 2, ...: bounds on E(k), the least loss of a tree
// with at most k leaves, counted above the floor.
//
// The search has a regularization r at which it knows V, the least of loss + r leaves. A tree with
// at most k leaves has loss + r k >= loss + r leaves >= V, so E(k) >= V - r k. Splits are discarded
// by this bound, and where the search is at the r at which trees with fewer and with more leaves
// than wanted cost the same, there is little between it and the best tree.
//
// E(k) of a support is the least, over its splits and over i, of E(i) of one side + E(k - i) of the
// other, or the loss of the leaf. SideFronts are solved only as far as some sum may stay below what
// is asked for.
struct Front {
  std::vector<double> lower, upper;  // by k; entry 0 is not used

  explicit Front(std::size_t most) : lower(most + 1, 0), upper(most + 1, kInfinity) {}
  // A tree with so many leaves has this loss.
  void improve(std::size_t leaves, double loss);
  // E(k) >= loss(k) for every k.
  template <typename LossAt>
  void raise(LossAt loss) {
    for (std::size_t k = 1; k < lower.size(); ++k) {
      lower[k] = std::max(lower[k], std::min(loss(k), upper[k]));
    }
  }
  void tighten(const Front& other);
};

class LeafFrontier {
 public:
  // After a finished search.
  LeafFrontier(Worker& worker, const Problem& problem, Watch& watch, std::uint32_t max_leaves)
      : worker_(worker), problem_(problem), watch_(watch), most_(max_leaves) {}

  // Bounds on E(k) of the whole table: for each k they meet, or the lower one reaches asked[k], or
  // the search was halted.
  Front solve(const std::vector<double>& asked);
  // The canonical tree (answers/canonical_tree.hpp) among those with at most so many leaves and
  // this loss, which is the least there is; where the sides can share the leaves in several ways,
  // the one with fewest leaves where the condition holds. Null if the search was halted.
  std::shared_ptr<const Shape> canonical(std::uint32_t leaves, double loss);

 private:
  using Subtree = std::shared_ptr<const Shape>;
  // By k.
  using Losses = std::vector<double>;
  struct NodeFront {
    Front front;
    std::vector<Subtree> canonical;  // by k, as far as known
  };
  // A split with what is known of its sides.
  struct SideFronts {
    Front side[2];
  };

  NodeFront& known(const Node& node);
  void open(Node& node);
  void solve(Node& node, Front& front, const Losses& asked);
  bool within_reach(Node& node, Split& split, const Losses& asked);
  SideFronts solve_sides(Node& node, Split& split, const Losses& asked);
  void solve_side(Node& node, Split& split, int side, SideFronts& sides, const Losses& asked);
  Subtree canonical(Node& node, std::uint32_t leaves, double loss);
  bool compare_shares(Node& node, Split& split, std::uint32_t leaves, double limit, Subtree& best);
  Subtree canonical_child(Node& node, const Split& split, int side, std::uint32_t leaves,
                          double loss);

  Worker& worker_;
  const Problem& problem_;
  Watch& watch_;
  const std::size_t most_;
  const Subtree leaf_ = std::make_shared<const Shape>();
  int ties_ = 0;
  NodeMap<NodeFront> known_;
};

}  // namespace optitree
