#include "search/read_off.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "common/sum.hpp"

namespace optitree {

std::shared_ptr<const Shape> Extraction::canonical(double cost) {
  if (!worker_.nodes().count_pairs_of_root()) return nullptr;
  return canonical(worker_.nodes().root(), problem_.restrictions().max_depth, cost, 0);
}

// `cost` is the cost of the best tree on the node's support, whose pair statistics are counted.
Extraction::Subtree Extraction::canonical(Node& node, Depth depth, double cost, std::size_t level) {
  if (!strictly_better(cost, node.leaf)) return leaf_;
  const auto [begin, end] = memo_.equal_range(node.hash);
  for (auto at = begin; at != end; ++at) {
    if (at->second.depth == depth && std::ranges::equal(at->second.members, node.members))
      return at->second.subtree;
  }
  worker_.nodes().choose_axis(node);
  worker_.open(node, depth);
  if (depth > 2) worker_.recall(node, depth, cost + 2 * kTolerance);
  Subtree best;
  for (Split& split : node.splits) {
    if (!tied(node, split, depth, cost, level)) continue;
    const auto go_on = [&](Node& child, const Child& known) {
      return canonical(child, below(depth), known.upper, level + 1);
    };
    Subtree zero = descend(node, split, 0, level, go_on);
    Subtree one = descend(node, split, 1, level, go_on);
    if (!zero || !one || watch_.stopped()) return nullptr;
    Subtree subtree = join(split.literal, std::move(zero), std::move(one));
    if (!best || std::tie(subtree->leaves, subtree->depth) < std::tie(best->leaves, best->depth)) {
      best = std::move(subtree);
    }
    if (++comparisons_ > kMostComparisons) break;
  }
  memo_.emplace(node.hash, Memo{{node.members.begin(), node.members.end()}, depth, best});
  return best;
}

// Whether a best tree may start with this split. Solves its children as far as that needs.
bool Extraction::tied(Node& node, Split& split, Depth depth, double cost, std::size_t level) {
  const double limit = cost + 2 * kTolerance;
  for (const int side : {split.smaller(), 1 - split.smaller()}) {
    const double rest = limit - split.child[1 - side].lower;
    if (!strictly_better(split.lower(), limit)) return false;
    if (split.child[side].solved()) continue;
    worker_.solve_child(node, split, side, below(depth), rest, level);
  }
  return !strictly_better(cost, split.upper());
}

template <typename GoOn>
Extraction::Subtree Extraction::descend(const Node& node, const Split& split, int side,
                                        std::size_t level, GoOn go_on) {
  const Child& known = split.child[side];
  if (!strictly_better(known.upper, known.leaf)) return leaf_;
  if (worker_.nodes().count_pairs(node, split, side, level) == nullptr) return nullptr;
  return go_on(worker_.nodes().enter(node, split, side, level, worker_.implications()), known);
}

std::shared_ptr<const Shape> Extraction::best_known(double seconds) {
  return read_off(seconds, true);
}

std::shared_ptr<const Shape> Extraction::greedy(double seconds) { return read_off(seconds, false); }

Extraction::Subtree Extraction::read_off(double seconds, bool from_cache) {
  deadline_ = watch_.seconds() + seconds;
  from_cache_ = from_cache;
  if (worker_.implications().words() == 0) return leaf_;  // stopped before the root was counted
  if (!worker_.nodes().count_pairs_of_root()) return leaf_;
  return best_known(worker_.nodes().root(), problem_.restrictions().max_depth, 0);
}

Extraction::Subtree Extraction::best_known(Node& node, Depth depth, std::size_t level) {
  worker_.nodes().choose_axis(node);
  worker_.open(node, depth);
  // Where there is no time to count the pairs of the children, the best tree of depth two is read
  // off those of the node.
  const double left = deadline_ - watch_.seconds();
  const bool in_time = static_cast<double>(worker_.nodes().work(node.members.size())) < left * 1e9;
  if (depth > 2 && in_time && from_cache_) worker_.recall(node, depth, kInfinity);
  const auto best = std::ranges::min_element(node.splits, {}, &Split::upper);
  const double leaf = node.leaf;
  if (best == node.splits.end() || !strictly_better(best->upper(), leaf)) return leaf_;
  const auto go_on = [&](Node& child, const Child&) {
    return best_known(child, below(depth), level + 1);
  };
  Subtree child[2];
  for (const int side : {0, 1}) {
    if (in_time) child[side] = descend(node, *best, side, level, go_on);
    if (!child[side]) child[side] = stump(node, *best, side);
  }
  return join(best->literal, child[0], child[1]);
}

// The child as a leaf or as its best two leaves, from what is known of the node.
Extraction::Subtree Extraction::stump(const Node& node, const Split& split, int side) {
  const double lambda = problem_.regularization();
  const Cell total = node.total_of(split, side);
  const auto cost_of_pair = [&](const Split& second) {
    const Cell& both = node.table.at(split.row, second.row);
    const Cell ones = side == 1 ? both : node.table.diagonal(second.row) - both;
    const Cell zeros = total - ones;
    if (!problem_.can_be_leaf(ones) || !problem_.can_be_leaf(zeros)) return kInfinity;
    return leaf_cost(ones, lambda) + leaf_cost(zeros, lambda);
  };
  std::vector<double> walked;
  if (!problem_.loss().squared()) {
    walked = worker_.walks().two_leaves({node.points, node.table, node.axis, node.total}, split.row,
                                        side);
  }
  double best = split.child[side].leaf;
  Subtree found = leaf_;
  for (const Split& second : node.splits) {
    const double cost = walked.empty() ? cost_of_pair(second) : walked[second.row];
    if (strictly_better(cost, best)) best = cost, found = join(second.literal, leaf_, leaf_);
  }
  return found;
}

namespace {

// The weight of the node is known.
void predict_mean(Members members, const Problem& problem, const GroupTable& table,
                  TreeNode& node) {
  CompensatedSum sum, loss;
  for (const std::uint32_t g : members) {
    const std::uint32_t original = problem.original(g);
    sum.add(table.weight[original] * table.mean[original]);
  }
  node.value = sum.value() / node.weight;
  for (const std::uint32_t g : members) {
    const std::uint32_t original = problem.original(g);
    const double deviation = table.mean[original] - node.value;
    loss.add(table.scatter[original]);
    loss.add(table.weight[original] * deviation * deviation);
  }
  node.loss = loss.value();
}

std::int32_t describe_into(const Shape& shape, const std::vector<std::uint32_t>& members,
                           const Problem& problem, const GroupTable& table, Tree& tree) {
  const auto at = static_cast<std::int32_t>(tree.nodes.size());
  TreeNode node;
  CompensatedSum rows, weight;
  for (const std::uint32_t g : members) {
    const std::uint32_t original = problem.original(g);
    rows.add(table.rows[original]);
    weight.add(table.weight[original]);
  }
  node.rows = rows.value();
  node.weight = weight.value();
  if (problem.loss().squared()) {
    predict_mean(members, problem, table, node);
  } else {
    const Prediction best = predict(problem.points_of(members), problem.loss());
    node.value = best.value;
    node.loss = best.loss;
  }
  tree.nodes.push_back(node);
  if (shape.is_leaf()) return at;

  const std::uint32_t feature = shape.literal >> 1;
  std::vector<std::uint32_t> side[2];
  for (const std::uint32_t g : members) side[problem.holds(g, shape.literal + 1)].push_back(g);
  const int yes = problem.flipped(feature) ? 0 : 1;
  tree.nodes[static_cast<std::size_t>(at)].feature = static_cast<std::int32_t>(feature);
  const auto visit = [&](int value) {
    return describe_into(*shape.children[value], side[value], problem, table, tree);
  };
  const std::int32_t yes_at = visit(yes);
  const std::int32_t no_at = visit(1 - yes);
  tree.nodes[static_cast<std::size_t>(at)].yes = yes_at;
  tree.nodes[static_cast<std::size_t>(at)].no = no_at;
  return at;
}

}  // namespace

Tree describe(const Shape& shape, const Problem& problem, const GroupTable& table) {
  std::vector<std::uint32_t> everything(problem.groups());
  std::iota(everything.begin(), everything.end(), 0U);
  Tree tree;
  describe_into(shape, everything, problem, table, tree);
  return tree;
}

}  // namespace optitree
