#include "answers/near_optimal_trees.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "answers/describe.hpp"
#include "answers/enumeration.hpp"
#include "answers/one_search.hpp"

namespace optitree {

namespace {

// Bounds are exact up to the tolerance for every leaf. Lists go so far beyond what is asked for
// that no tree is lost by it; the last word has the cost of a set of leaves, which is their sum.
constexpr double kMargin = 1e-9;

// Trees are listed in rounds, up to a small excess over the optimum first: if there are more than
// enough of them, or time runs out, the rounds that were over are the answer. The last round takes
// most of the time.
constexpr int kRounds = 8;  // each to twice the excess of the one before

constexpr double kHuge = 1e307;  // still far from overflow

struct NearShapes {
  std::vector<std::shared_ptr<const Shape>> shapes;  // in order; none if stopped too soon
  double bound = 0;   // no tree that is missing costs less (above the floor)
  bool more = false;  // than max_trees
};

// If the watch stops it, the trees are all those that cost no more than the bound.
NearShapes list_in_rounds(OneSearch& proven, const NearRequest& request) {
  const Problem& problem = proven.problem();
  double optimum = proven.optimum();
  // What a tree can cost at most: all loss, and a leaf for each group.
  const double most_leaves = static_cast<double>(problem.groups());
  const double largest =
      std::max(optimum, std::min(1 + problem.regularization() * most_leaves, kHuge));
  Enumeration enumeration(proven.search().leader(), problem, proven.watch(), largest,
                          request.max_trees + 1);
  const TickScale& scale = enumeration.scale();
  NearShapes near;
  near.bound = optimum;
  for (int round = 0; round <= kRounds && !near.more; ++round) {
    const double share = round == 0 ? 0 : std::ldexp(request.within, round - kRounds);
    if (round > 0 && share == 0) break;
    const auto limit = [&] {
      return std::min(optimum + share * (optimum + problem.floor_share()), largest);
    };
    const Enumeration::Listed listed = enumeration.list(limit() + kMargin);
    if (!listed || listed->sets.empty()) break;
    optimum = std::min(optimum, scale.cost(listed->sets.front().cost));
    near.bound = limit();
    near.shapes.clear();
    for (const LeafSet& set : listed->sets) {
      const double cost = scale.cost(set.cost);
      if (strictly_better(limit(), cost)) continue;
      near.more = near.shapes.size() == request.max_trees;
      if (near.more) {
        near.bound = cost;
        break;
      }
      near.shapes.push_back(set.shape);
    }
  }
  return near;
}

}  // namespace

NearOptimalTrees solve_near_optimal(const Task& task, const NearRequest& request) {
  OneSearch search(task);
  NearOptimalTrees near;
  near.best = search.solve();
  near.lower_bound = near.best.lower_bound;
  near.status = search.proven() ? search.stop() : near.best.status;
  if (!search.proven()) return near;
  NearShapes found;
  if (near.status == Status::kOptimal) {
    found = list_in_rounds(search, request);
    near.status = search.watch().status();
    near.lower_bound = found.bound + search.problem().floor_share();
    near.more = found.more;
  }
  for (const auto& shape : found.shapes) {
    Tree tree = describe(*shape, search.problem(), task);
    const double objective = objective_of(tree, search.problem(), task.restrictions.regularization);
    near.trees.push_back({std::move(tree), objective});
  }
  // Stopped before the first round was over: the best tree is known all the same.
  if (found.shapes.empty()) near.trees.push_back({near.best.tree, near.best.objective});
  return near;
}

}  // namespace optitree
