// Exchanges of splits: costs beside trees put together one by one, and trees that end where no
// exchange helps any more.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "check.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/squared/exchange_costs.hpp"
#include "costs/squared/leaf_cost.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

using Tree = std::shared_ptr<const Shape>;
using Numbers = std::vector<std::uint32_t>;

Tree random_tree(const Problem& problem, unsigned depth, std::mt19937& random) {
  if (depth == 0 || random() % 4 == 0) return std::make_shared<const Shape>();
  const auto feature = static_cast<Literal>(random() % problem.features());
  Tree zero = random_tree(problem, depth - 1, random);
  return join(2 * feature, zero, random_tree(problem, depth - 1, random));
}

Cell sum_of(const Problem& problem, const Numbers& groups) {
  Cell total;
  for (const std::uint32_t g : groups) total = total + problem.cell(g);
  return total;
}

// With branches cut where that is no worse, and sides where there is nothing left out.
double cost_of(const Problem& problem, const Tree& tree, const Numbers& groups) {
  if (groups.empty()) return 0;
  const Cell total = sum_of(problem, groups);
  const double leaf =
      problem.can_be_leaf(total) ? leaf_cost(total, problem.regularization()) : kInfinity;
  if (tree->is_leaf()) return leaf;
  const auto side = problem.sides_of(groups, tree->literal >> 1);
  const double split =
      cost_of(problem, tree->children[0], side[0]) + cost_of(problem, tree->children[1], side[1]);
  return std::min(leaf, split);
}

// A pace that nothing halts.
struct NoLimit {
  Watch watch{{}, nullptr};
  const std::atomic<bool> unwind = false;
  Pace pace{watch, unwind, true};
};

bool near(double a, double b) { return a == b || std::abs(a - b) < 1e-11; }

// Every split above two subtrees, put together and followed.
void check_costs(const Problem& problem, const Numbers& groups, unsigned seed) {
  std::mt19937 random(seed);
  NoLimit pace;
  const Tree zero = random_tree(problem, 3, random), one = random_tree(problem, 3, random);
  ExchangeCosts costs(problem, pace.pace);
  const std::vector<double>& found = costs.measure(groups, *zero, *one);
  bool right = true;
  for (Literal literal = 0; literal < 2 * problem.features(); ++literal) {
    const auto side = problem.sides_of(groups, literal >> 1);
    const Numbers &there = side[literal & 1], &not_there = side[1 - (literal & 1)];
    const double expected = there.empty() || not_there.empty()
                                ? kInfinity
                                : cost_of(problem, zero, not_there) + cost_of(problem, one, there);
    right &= near(found[literal], expected);
  }
  check(right, "every split costs what its tree does", seed);
}

bool allowed(const Problem& problem, const Tree& tree, const Numbers& groups) {
  if (tree->is_leaf()) {
    return problem.can_be_leaf(sum_of(problem, groups));
  }
  const auto side = problem.sides_of(groups, tree->literal >> 1);
  return allowed(problem, tree->children[0], side[0]) &&
         allowed(problem, tree->children[1], side[1]);
}

void check_settled(const Problem& problem, const Tree& tree, const Numbers& groups, unsigned seed) {
  if (tree->is_leaf()) return;
  NoLimit pace;
  ExchangeCosts costs(problem, pace.pace);
  const double now = cost_of(problem, tree, groups);
  const std::vector<double>& others = costs.measure(groups, *tree->children[0], *tree->children[1]);
  const double least = *std::ranges::min_element(others);
  check(least > now - 1e-8, "no other split is better for the subtrees below", seed);
  const auto side = problem.sides_of(groups, tree->literal >> 1);
  for (const std::size_t value : {0, 1}) {
    check_settled(problem, tree->children[value], side[value], seed);
  }
}

// A random tree settled, then exchanged until there is nothing left to try.
void check_trees(const Problem& problem, const Numbers& all, unsigned seed) {
  std::mt19937 random(seed);
  NoLimit pace;
  const auto exchange = SquaredError().exchange(problem, pace.pace);
  const Depth most = problem.restrictions().max_depth;
  Tree tree = random_tree(problem, std::min<unsigned>(most, 4), random);
  double cost = cost_of(problem, tree, all);
  const auto take = [&](const Tree& next) {
    check(allowed(problem, next, all), "leaves are large enough", seed);
    check_settled(problem, next, all, seed);
    check(next->depth <= most, "the limit on the depth holds", seed);
    const double less = cost_of(problem, next, all);
    tree = next;
    cost = less;
  };
  const double before = cost;
  const Tree settled = exchange->settle(tree);
  take(settled);
  check(cost < before + 1e-12, "a settled tree is no worse", seed);
  check(exchange->settle(settled) == settled, "it is settled once and for all", seed);
  for (Tree next = exchange->better(tree); next != nullptr; next = exchange->better(tree)) {
    const double known = cost;
    next = exchange->settle(next);  // its subtree was; what is above it may not be any more
    take(next);
    check(cost < known - 1e-10, "a better tree is better", seed);
  }
}

}  // namespace

void test_exchanges() {
  for (unsigned seed = 0; seed < cases(100); ++seed) {
    Sample sample = seed % 2 == 0 ? random_sample(seed, 40, 12) : columns(seed);
    sample.restrictions.regularization = 0.004 * (1 + seed % 5);
    sample.restrictions.min_samples_leaf = 1 + seed % 4;
    if (seed % 3 == 0) sample.restrictions.max_depth = static_cast<Depth>(1 + seed % 5);
    const Groups groups(sample);
    const Problem problem = problem_of(sample, groups);
    if (!problem.can_be_leaf(problem.total_cell())) continue;
    Numbers all(problem.groups());
    for (std::uint32_t g = 0; g < all.size(); ++g) all[g] = g;
    check_costs(problem, all, seed);
    check_trees(problem, all, seed);
  }
}
