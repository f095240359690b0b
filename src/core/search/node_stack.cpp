#include "search/node_stack.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace optitree {

namespace {

constexpr double kAddingUp = 2;  // what adding up a cell costs beside adding a group to it
// About the nanoseconds for the tables and the trees of depth two of both children, by the square
// of the features.
constexpr double kWorkOfChildren = 6;

}  // namespace

NodeStack::NodeStack(const Problem& problem, const Options& options, Watch& watch, Pace& pace)
    : problem_(problem), options_(options), watch_(watch), pace_(pace) {
  everything_.clear(problem.features(), problem.words());
  for (std::uint32_t f = 0; f < problem.features(); ++f) everything_.add(f);
  chains_pay_ = by_heads(problem.groups(), problem.features());
  if (chains_pay_) everything_.link(problem.chains());
  Node& node = root();
  node.storage_.resize(problem.groups());
  std::iota(node.storage_.begin(), node.storage_.end(), 0U);
  node.members = node.storage_;
  for (const std::uint32_t g : node.members) node.hash += problem.tag(g);
  node.point_storage_.resize(problem.points().size());
  std::iota(node.point_storage_.begin(), node.point_storage_.end(), 0U);
  node.points = node.point_storage_;
}

void NodeStack::add_level() {
  levels_.push_back(std::make_unique<std::array<Node, 2>>());
  for (Node& node : *levels_.back()) node.level = levels_.size() - 1;
}

template <typename Holds>
std::span<const std::uint32_t> NodeStack::filter(std::span<const std::uint32_t> from,
                                                 std::vector<std::uint32_t>& storage, Holds holds) {
  if (storage.size() < from.size()) storage.resize(from.size());
  std::uint32_t* next = storage.data();
  for (const std::uint32_t item : from) {  // no branch: which side a group takes is random
    *next = item;
    next += holds(item);
  }
  return {storage.data(), next};
}

Members NodeStack::members(const Node& node, const Split& split, int side) {
  Node& child = at(node.level + 1, side);
  const Node::Origin origin{node.opening_, split.literal_of(side)};
  if (child.members_of_ == origin) return child.members;
  child.members = filter(node.members, child.storage_, problem_.holds(origin.literal));
  child.members_of_ = origin;
  return child.members;
}

PointList NodeStack::points(const Node& node, const Split& split, int side) {
  if (node.points.empty()) return {};
  Node& child = at(node.level + 1, side);
  const Node::Origin origin{node.opening_, split.literal_of(side)};
  if (child.points_of_ == origin) return child.points;
  child.points = filter(node.points, child.point_storage_,
                        [points = problem_.points().data(), holds = problem_.holds(origin.literal)](
                            std::uint32_t point) { return holds(points[point].group); });
  child.points_of_ = origin;
  return child.points;
}

Node& NodeStack::enter(const Node& node, const Split& split, int side,
                       const Implications& implications) {
  Node& child = at(node.level + 1, side);
  members(node, split, side);
  points(node, split, side);
  child.conjunction.set(node.conjunction, split.literal_of(side), implications);
  child.depth = below(node.depth);
  child.hash = split.child[side].hash;
  child.total = node.total_of(split, side);
  child.leaf = split.child[side].leaf;
  return child;
}

const PairTable* NodeStack::count_pairs(const Node& node, const Split& split, int side) {
  Node& child = at(node.level + 1, side);
  Node& sibling = at(node.level + 1, 1 - side);
  const Node::Origin origin{node.opening_, split.literal_of(side)};
  child.counted_of_ = {};  // until it is complete
  const bool sibling_counted =
      sibling.counted_of_ == Node::Origin{origin.opening, origin.literal ^ 1};
  // Subtraction touches every cell once; counting about half the square of a group's ones, for
  // every group.
  const bool subtract =
      options_.subtraction &&
      (sibling_counted || split.child[side].groups > 2 * split.child[1 - side].groups);
  if (subtract) {
    if (!sibling_counted && count_pairs(node, split, 1 - side) == nullptr) return nullptr;
    if (!afford_tables(child, node.axis.size())) return nullptr;
    child.counted.set_difference(node.pairs, sibling.counted);
    if (side == 0) child.counted.clear(split.position);
    child.counted_over_ = &node.axis;
    pace_.spend(node.axis.size() * node.axis.size());
  } else {
    // The feature of the split is constant on either side, so its pairs are not needed.
    members(node, split, side);
    mask_ = node.axis.mask;
    mask_[split.literal / 2 / 64] &= ~(std::uint64_t{1} << (split.literal / 2 % 64));
    if (!count(node.axis, mask_, child)) return nullptr;
  }
  child.counted_of_ = origin;
  return &child.counted;
}

Node* NodeStack::count_root() {
  Node& node = root();
  node.leaf = problem_.root_cost();
  if (root_counted_ == problem_.times_priced() + 1) return &node;
  node.total = {};
  for (const std::uint32_t g : node.members) node.total = node.total + problem_.cell(g);
  root_counted_ = 0;
  if (!count(everything_, everything_.mask, node)) return nullptr;
  root_counted_ = problem_.times_priced() + 1;
  return &node;
}

// Both tables of a node are triangles over an axis no larger than its parent's.
bool NodeStack::afford_tables(Node& node, std::size_t axis) {
  const std::size_t needed = axis * (axis + 1) * sizeof(Cell);
  if (needed <= node.table_bytes_) return true;
  if (!watch_.take(needed - node.table_bytes_)) return false;
  node.table_bytes_ = needed;
  return true;
}

// Heads are fewer than ones, but their cells must be added up at the end: two additions each.
bool NodeStack::by_heads(std::size_t groups, std::size_t features) const {
  const Chains& chains = problem_.chains();
  if (!options_.chains || !chains.any()) return false;
  const double share = static_cast<double>(features) / static_cast<double>(problem_.features());
  const double fewer = (chains.pairs_of_ones() - chains.pairs_of_heads()) * share * share;
  return static_cast<double>(groups) * fewer > kAddingUp * static_cast<double>(features * features);
}

std::size_t NodeStack::work(std::size_t groups) const {
  const Chains& chains = problem_.chains();
  const bool heads = by_heads(groups, problem_.features());
  const double each = heads ? chains.pairs_of_heads() : chains.pairs_of_ones();
  return groups * (static_cast<std::size_t>(each) + 1);
}

double NodeStack::work_of_split(const Node& node, const Split& split) const {
  const std::size_t groups = split.child[split.smaller()].groups;
  const auto size = static_cast<double>(node.axis.size());
  const double share = size / static_cast<double>(problem_.features());
  return static_cast<double>(work(groups)) * share * share + kWorkOfChildren * size * size;
}

bool NodeStack::count(const Axis& over, const std::vector<std::uint64_t>& mask, Node& node) {
  if (!afford_tables(node, over.size())) return false;
  node.counted.reset(over.size());
  const bool heads = chains_pay_ && by_heads(node.members.size(), over.size());
  const std::size_t at_once = std::max<std::size_t>(1, 1'000'000 / work(1));
  for (std::size_t begin = 0; begin < node.members.size(); begin += at_once) {
    const std::size_t groups = std::min(at_once, node.members.size() - begin);
    const Members some = node.members.subspan(begin, groups);
    if (heads) node.counted.add_heads(problem_, some, over);
    else node.counted.add(problem_, some, mask.data(), over.position_of);
    if (!pace_.spend(work(groups))) return false;
  }
  if (heads) node.counted.add_up(over);
  node.counted_over_ = &over;
  return true;
}

// Features with enough rows on both sides, without those equal to an earlier one on this support.
// A feature that cannot split a support cannot split any part of it: the axis only shrinks.
void NodeStack::choose_axis(Node& node) {
  node.kept_.clear();
  for (std::uint32_t at = 0; at < node.counted.dimension(); ++at) {
    const Cell& ones = node.counted.diagonal(at);
    if (problem_.can_be_leaf(ones) && problem_.can_be_leaf(node.total - ones)) {
      node.kept_.push_back(at);
    }
  }
  if (options_.merge_equal_features) drop_equal_features(node);
  node.pairs.set_selection(node.counted, node.kept_);
  node.axis.clear(problem_.features(), problem_.words());
  for (const std::uint32_t at : node.kept_) node.axis.add((*node.counted_over_)[at]);
  if (chains_pay_) node.axis.link(problem_.chains());
  node.opening_ = ++openings_;
}

// Two features split a support alike when they agree, or disagree, on all of it. Equal hashes only
// propose; the weight where both are 1 decides, which is exact.
void NodeStack::drop_equal_features(Node& node) {
  const auto key = [&](std::uint32_t at) {
    const std::uint64_t ones = node.counted.hash(at);
    return std::min(ones, node.hash - ones);
  };
  const auto alike = [&](std::uint32_t a, std::uint32_t b) {
    const double both = node.counted.at(a, b).weight();
    const double weight_a = node.counted.diagonal(a).weight();
    const double weight_b = node.counted.diagonal(b).weight();
    return (both == weight_a && both == weight_b) ||
           (both == 0 && weight_a + weight_b == node.total.weight());
  };
  const std::size_t mask = std::bit_ceil(2 * node.kept_.size() + 1) - 1;
  by_hash_.assign(mask + 1, 0);  // open addressing; a slot has a position + 1
  std::erase_if(node.kept_, [&](std::uint32_t at) {
    const std::uint64_t hash = key(at);
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      if (by_hash_[slot] == 0) {
        by_hash_[slot] = at + 1;
        return false;
      }
      const std::uint32_t other = by_hash_[slot] - 1;
      if (key(other) == hash && alike(other, at)) return true;
    }
  });
}

}  // namespace optitree
