#include "answers/greedy_tree.hpp"

#include <algorithm>
#include <numeric>

#include "costs/leaf_bounds.hpp"

namespace optitree {

namespace {

constexpr std::size_t kMostLeaves = 64;

struct Branch {
  std::vector<std::uint32_t> members;
  Cell total;
  Depth depth_left;
  std::uint32_t feature = 0;
  double gain = 0;             // of the best split
  std::size_t children[2]{0};  // 0 = none, because the root is nobody's child
};

class Grower {
 public:
  explicit Grower(const Problem& problem) : problem_(problem), cells_(problem.features()) {
    Branch root;
    root.members.resize(problem.groups());
    std::iota(root.members.begin(), root.members.end(), 0U);
    root.depth_left = problem.restrictions().max_depth;
    add(std::move(root));
  }

  // Makes the split that gains most; false if there is none.
  bool split_once() {
    std::size_t best = 0;
    double gain = 0;
    for (std::size_t at = 0; at < branches_.size(); ++at) {
      const Branch& branch = branches_[at];
      if (branch.children[0] == 0 && branch.gain > gain) best = at, gain = branch.gain;
    }
    if (gain <= kTolerance) return false;
    Branch side[2];
    const Literal one = 2 * branches_[best].feature + 1;
    for (const std::uint32_t g : branches_[best].members) {
      side[problem_.holds(g, one)].members.push_back(g);
    }
    for (const int value : {0, 1}) {
      side[value].depth_left = static_cast<Depth>(branches_[best].depth_left == kNoDepthLimit
                                                      ? kNoDepthLimit
                                                      : branches_[best].depth_left - 1);
      branches_[best].children[value] = branches_.size();
      add(std::move(side[value]));
    }
    return true;
  }

  // The best tree that is left when branches are cut back, and its cost.
  std::pair<std::shared_ptr<const Shape>, double> cut_back(std::size_t at = 0) const {
    const Branch& branch = branches_[at];
    const double as_leaf = leaf_cost(branch.total, problem_.regularization());
    if (branch.children[0] == 0) return {leaf_, as_leaf};
    const auto [zero, zero_cost] = cut_back(branch.children[0]);
    const auto [one, one_cost] = cut_back(branch.children[1]);
    if (!strictly_better(zero_cost + one_cost, as_leaf)) return {leaf_, as_leaf};
    return {join(2 * branch.feature, zero, one), zero_cost + one_cost};
  }

 private:
  void add(Branch&& branch) {
    std::ranges::fill(cells_, Cell{});
    for (const std::uint32_t g : branch.members) {
      const Cell& cell = problem_.cell(g);
      branch.total = branch.total + cell;
      const std::uint32_t* begin = problem_.ones() + problem_.ones_begin()[g];
      const std::uint32_t* end = problem_.ones() + problem_.ones_begin()[g + 1];
      for (; begin != end; ++begin) cells_[*begin] = cells_[*begin] + cell;
    }
    if (branch.depth_left > 0) find_split(branch);
    branches_.push_back(std::move(branch));
  }

  void find_split(Branch& branch) const {
    const double whole = leaf_cost(branch.total, 0);
    for (std::uint32_t feature = 0; feature < cells_.size(); ++feature) {
      const Cell& one = cells_[feature];
      const Cell zero = branch.total - one;
      if (!problem_.can_be_leaf(one) || !problem_.can_be_leaf(zero)) continue;
      const double gain = whole - leaf_cost(one, 0) - leaf_cost(zero, 0);
      if (gain > branch.gain + kTolerance) branch.gain = gain, branch.feature = feature;
    }
  }

  const Problem& problem_;
  const std::shared_ptr<const Shape> leaf_ = std::make_shared<const Shape>();
  std::vector<Cell> cells_;
  std::vector<Branch> branches_;
};

}  // namespace

std::shared_ptr<const Shape> grown_tree(const Problem& problem, const Watch& watch,
                                        double seconds) {
  const double deadline = watch.seconds() + seconds;
  const std::size_t most = std::min<std::size_t>(kMostLeaves, problem.restrictions().max_leaves);
  Grower grower(problem);
  for (std::size_t leaves = 1; leaves < most && watch.seconds() < deadline; ++leaves) {
    if (!grower.split_once()) break;
  }
  return grower.cut_back().first;
}

}  // namespace optitree
