#include "costs/squared/greedy_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

#include "costs/leaf_bounds.hpp"
#include "costs/squared/leaf_cost.hpp"

namespace optitree {

namespace {

constexpr double kFewLeaves = 64;
// A tree this deep has parted row after row from the others; deeper ones would only fill the stack.
constexpr Depth kDeepest = 200;

// A tree of more leaves than 1 / regularization costs more than a single leaf, so no more need be
// grown; a few more are, because some are pruned again. Without a regularization: all.
std::size_t most_leaves(const Problem& problem) {
  const double worth = std::max(kFewLeaves, std::ceil(1 / problem.regularization()));
  const auto most = static_cast<std::size_t>(problem.restrictions().max_leaves);
  return worth < static_cast<double>(most) ? static_cast<std::size_t>(worth) : most;
}

struct Grown {
  std::vector<std::uint32_t> members;
  Cell total{};
  Depth depth_left = 0;
  std::uint32_t feature = 0;
  double gain = 0;             // of the best split
  std::size_t children[2]{0};  // 0 = none, because the root is nobody's child
};

class GreedyTree {
 public:
  explicit GreedyTree(const Problem& problem) : problem_(problem), cells_(problem.features()) {
    Grown root;
    root.members.resize(problem.groups());
    std::iota(root.members.begin(), root.members.end(), 0U);
    root.depth_left = std::min(problem.restrictions().max_depth, kDeepest);
    add(std::move(root));
  }

  // Makes the split that gains most; false if there is none.
  bool split_once() {
    if (waiting_.empty()) return false;
    const std::size_t best = waiting_.top().node;
    waiting_.pop();
    auto side = problem_.sides_of(grown_[best].members, grown_[best].feature);
    for (const std::size_t value : {0, 1}) {
      grown_[best].children[value] = grown_.size();
      add({.members = std::move(side[value]), .depth_left = below(grown_[best].depth_left)});
    }
    grown_[best].members = {};
    return true;
  }

  // The best tree that is left when branches are pruned, and its cost.
  std::pair<std::shared_ptr<const Shape>, double> pruned(std::size_t at = 0) const {
    const Grown& node = grown_[at];
    const double as_leaf = leaf_cost(node.total, problem_.regularization());
    if (node.children[0] == 0) return {leaf_, as_leaf};
    const auto [zero, zero_cost] = pruned(node.children[0]);
    const auto [one, one_cost] = pruned(node.children[1]);
    if (!strictly_better(zero_cost + one_cost, as_leaf)) return {leaf_, as_leaf};
    return {join(2 * node.feature, zero, one), zero_cost + one_cost};
  }

 private:
  // A leaf that can be split: what gains most comes first, of equals what was grown first.
  struct Waiting {
    double gain;
    std::size_t node;
    bool operator<(const Waiting& other) const {
      return gain != other.gain ? gain < other.gain : node > other.node;
    }
  };

  void add(Grown&& node) {
    std::ranges::fill(cells_, Cell{});
    for (const std::uint32_t g : node.members) {
      const Cell& cell = problem_.cell(g);
      node.total = node.total + cell;
      for (const std::uint32_t f : problem_.ones(g)) cells_[f] = cells_[f] + cell;
    }
    if (node.depth_left > 0) find_split(node);
    if (node.gain > kTolerance) waiting_.push({node.gain, grown_.size()});
    grown_.push_back(std::move(node));
  }

  void find_split(Grown& node) const {
    const double whole = leaf_cost(node.total, 0);
    for (std::uint32_t feature = 0; feature < cells_.size(); ++feature) {
      const Cell& one = cells_[feature];
      const Cell zero = node.total - one;
      if (!problem_.can_be_leaf(one) || !problem_.can_be_leaf(zero)) continue;
      const double gain = whole - leaf_cost(one, 0) - leaf_cost(zero, 0);
      if (gain > node.gain + kTolerance) node.gain = gain, node.feature = feature;
    }
  }

  const Problem& problem_;
  const std::shared_ptr<const Shape> leaf_ = std::make_shared<const Shape>();
  std::vector<Cell> cells_;
  std::vector<Grown> grown_;
  std::priority_queue<Waiting> waiting_;
};

}  // namespace

std::shared_ptr<const Shape> greedy_tree(const Problem& problem, const Watch& watch,
                                         double seconds) {
  const double deadline = watch.seconds() + seconds;
  const std::size_t most = most_leaves(problem);
  GreedyTree tree(problem);
  for (std::size_t leaves = 1; leaves < most && watch.seconds() < deadline; ++leaves) {
    if (!tree.split_once()) break;
  }
  return tree.pruned().first;
}

}  // namespace optitree
