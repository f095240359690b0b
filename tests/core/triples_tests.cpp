// Triples: the children of a node measured all at once cost what each costs by its own pairs.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "costs/squared/depth_two.hpp"
#include "costs/squared/leaf_cost.hpp"
#include "costs/squared/three_splits.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

// Some features and groups of a sample, as a node has them.
struct Part {
  Part(const Problem& problem, unsigned seed) {
    std::mt19937 random(seed);
    axis.clear(problem.features(), problem.words());
    for (std::uint32_t f = 0; f < problem.features(); ++f) {
      if (random() % 4 != 0) axis.add(f);
    }
    for (std::uint32_t g = 0; g < problem.groups(); ++g) {
      if (random() % 3 != 0) members.push_back(g);
    }
    for (std::size_t at = 0; at < axis.size(); ++at) wanted.push_back(random() % 3 != 0);
    for (const std::uint32_t g : members) total = total + problem.cell(g);
    pairs = count(problem, members);
  }
  PairTable count(const Problem& problem, Members groups) const {
    PairTable table;
    table.reset(axis.size());
    table.add(problem, groups, axis.mask.data(), axis.position_of);
    return table;
  }

  Axis axis;
  std::vector<std::uint32_t> members;
  std::vector<bool> wanted;
  Cell total;
  PairTable pairs;
};

bool same(const DepthTwo& a, const DepthTwo& b) {
  return a.cost == b.cost || std::abs(a.cost - b.cost) < 1e-12;
}

void check_children(const Problem& problem, const Part& part, unsigned seed) {
  Watch watch{{}, nullptr};
  const std::atomic<bool> unwind = false;
  Pace pace{watch, unwind, true};
  const Options options;
  ThreeSplits triples(problem, pace);
  const Region region{{}, part.pairs, part.axis, part.total, 0};
  check(triples.measure(region, part.members, part.wanted), "triples are measured", seed);
  DepthTwoFromPairs by_pairs(problem, options);
  for (std::uint32_t at = 0; at < part.axis.size(); ++at) {
    const auto sides = problem.sides_of(part.members, part.axis[at]);
    for (const int side : {0, 1}) {
      const auto& members = sides[static_cast<std::size_t>(side)];
      Cell total;
      for (const std::uint32_t g : members) total = total + problem.cell(g);
      if (!part.wanted[at] || !problem.can_be_leaf(total)) continue;
      const PairTable pairs = part.count(problem, members);
      const double leaf = leaf_cost(total, problem.regularization());
      const DepthTwo alone = by_pairs.best({{}, pairs, part.axis, total, leaf});
      check(same(triples.best(region, at, side), alone), "a child by triples and by pairs", seed);
    }
  }
}

// Where both apply, the search is the same with triples and without.
void check_search(Sample sample, unsigned seed) {
  sample.restrictions.max_depth = static_cast<Depth>(3 + seed % 2);
  Options options;
  options.eager = true;
  const Solution with = solve_sample(sample, options, 1 + seed % 2);
  options.triples = false;
  const Solution without = solve_sample(sample, options);
  check(same_tree(with, without), "triples do not change the tree", seed);
}

}  // namespace

void test_triples() {
  for (unsigned seed = 0; seed < cases(600); ++seed) {
    Sample sample = seed % 3 == 0 ? random_sample(seed, 80, 20) : columns(seed);
    const double lambdas[] = {0, 0.001, 0.02};
    sample.restrictions = {lambdas[seed % 3], kNoDepthLimit, static_cast<double>(1 + seed % 5)};
    if (seed % 2 == 0) std::ranges::fill(sample.weight, 1);  // leaves are counted by weight
    const Groups groups(sample);
    const Problem problem = problem_of(sample, groups);
    const Part part(problem, seed);
    if (!part.members.empty() && !problem.leaf_size().counts_rows()) {
      check_children(problem, part, seed);
    }
    if (seed % 4 == 0 && sample.features <= 40) check_search(sample, seed);
  }
}
