#include "answers/near_optimal_trees.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>

#include "answers/describe.hpp"
#include "answers/enumeration.hpp"
#include "answers/large_regularization.hpp"
#include "answers/one_search.hpp"
#include "answers/rounding.hpp"

namespace optitree {

namespace {

// How much further than asked for trees are listed: the cost of a set of leaves has the last word,
// and the search knows the optimum up to the tolerance for every leaf.
constexpr double kMargin = 1e-9;

// Trees are listed in rounds, up to a small excess over the optimum first: if there are more than
// enough of them, or time runs out, the rounds that were over are the answer. The last round takes
// most of the time.
constexpr int kRounds = 8;  // each to twice the excess of the one before

// Which trees are within a share of the optimum. Costs are counted as in the search; a large
// regularization is not that of the search (kLargestSearched).
class Within {
 public:
  Within(const Problem& problem, const Task& task)
      : floor_(problem.floor_share()),
        counted_(task.restrictions.regularization),
        searched_(problem.regularization()),
        most_leaves_(static_cast<double>(problem.groups())) {}

  // What a tree can cost at most: all loss, and a leaf for each group.
  double largest() const { return 1 + searched_ * most_leaves_; }
  double objective(double cost, double leaves) const {
    return cost + floor_ + (counted_ - searched_) * leaves;
  }
  // The most that a tree within the share costs.
  double limit(double share, double optimum) const {
    if (counted_ > searched_) return limit_of_large(share, optimum - searched_ + floor_);
    return std::min(optimum + share * (optimum + floor_), largest());
  }
  // No tree beyond the share has an objective below this.
  double bound(double share, double optimum) const {
    return std::min((1 + share) * objective(optimum, 1), objective(largest(), most_leaves_));
  }

 private:
  // The best tree is a leaf and loses `loss`. One with k more leaves is within the share if it
  // loses no more than loss + share (loss + regularization) - k regularization.
  double limit_of_large(double share, double loss) const {
    const auto left = [&](double k) { return (1 + share) * loss - counted_ * (k - share); };
    double k = std::min(std::floor(share + (1 + share) * loss / counted_), most_leaves_);
    if (k > 0 && left(k) < -kTolerance) --k;
    else if (left(k + 1) >= -kTolerance) ++k;
    return std::min(searched_ * (1 + k) + std::min(left(k), loss) - floor_, largest());
  }

  const double floor_, counted_, searched_, most_leaves_;
};

class Rounds {
 public:
  // After the proof.
  Rounds(OneSearch& proven, const Task& task, const NearRequest& request)
      : watch_(proven.watch()),
        within_(proven.problem(), task),
        request_(request),
        optimum_(proven.optimum()),
        enumeration_(proven.search().leader(), proven.problem(), watch_,
                     within_.limit(request.within, optimum_) + kMargin),
        maker_(enumeration_.forest(), proven.problem(), task, watch_,
               proven.search().leader().pace()) {}

  // Whatever ends it, the trees that are there are the first ones.
  void run(NearOptimalTrees& near) {
    bound_ = within_.bound(0, optimum_);
    for (int round = 0; round <= kRounds && !more_; ++round) {
      const double share = round == 0 ? 0 : std::ldexp(request_.within, round - kRounds);
      if ((round > 0 && share == 0) || !go(share)) break;
    }
    near.trees = maker_.take();
    near.lower_bound = bound_;
    near.more = more_;
  }

 private:
  // One round. False if it was stopped.
  bool go(double share) {
    for (std::size_t most = request_.max_trees + 1;; most *= 2) {
      const auto listed = enumeration_.list(within_.limit(share, optimum_) + kMargin, most);
      if (!listed || listed->sets.empty()) return false;
      optimum_ = enumeration_.scale().cost(listed->least);
      const double limit = within_.limit(share, optimum_);
      const auto is_near = [&](const LeafSet& set) { return !strictly_better(limit, cost(set)); };
      const auto count = static_cast<std::size_t>(std::ranges::count_if(listed->sets, is_near));
      // Sets of equal cost are in the order of their trees: those that cost a little too much may
      // have taken the places of others that do not. Lists of twice the length tell.
      const bool whole = strictly_better(limit, enumeration_.scale().cost(listed->whole_below));
      if (!whole && count <= request_.max_trees) continue;
      return describe(listed->sets | std::views::filter(is_near), within_.bound(share, optimum_));
    }
  }
  double cost(const LeafSet& set) const { return enumeration_.scale().cost(set.cost); }

  // Takes the trees of some sets, all that are below `bound`, in the place of those of the round
  // before. If it is stopped on the way, none that is missing is before the one it stopped at.
  template <typename Sets>
  bool describe(Sets&& sets, double bound) {
    maker_.begin_list();
    for (const LeafSet& set : sets) {
      more_ = maker_.size() == request_.max_trees;
      if (!more_ && maker_.add(set.tree)) continue;
      if (more_ || !maker_.go_back()) {
        bound_ = within_.objective(cost(set), static_cast<double>(set.leaves.size()));
      }
      return more_;
    }
    bound_ = bound;
    return true;
  }

  Watch& watch_;
  const Within within_;
  const NearRequest request_;
  double optimum_;
  Enumeration enumeration_;
  SharedTreesMaker maker_;
  double bound_ = 0;
  bool more_ = false;
};

}  // namespace

NearOptimalTrees solve_near_optimal(const Task& task, const NearRequest& request) {
  const Task searched = searchable(task);
  OneSearch search(searched);
  NearOptimalTrees near;
  near.best = search.solve();
  allow_for_rounding(near.best, search.problem());
  count_leaves(near.best, task);
  const bool proven = search.proven() && error_of(search.problem()) == 0;
  near.status = proven ? search.stop() : near.best.status;
  near.lower_bound = near.best.lower_bound;
  if (!proven) return near;
  // To the last bit as those of the trees that follow.
  near.best.objective =
      objective_of(near.best.tree, search.problem(), task.restrictions.regularization);
  near.best.lower_bound = near.lower_bound = near.best.objective;
  if (near.status == Status::kOptimal) {
    Rounds(search, task, request).run(near);
    near.status = search.watch().status();
  }
  // Stopped before the first tree of the first round: the best is known all the same.
  if (near.trees.size() == 0) near.trees.add(near.best.tree, near.best.objective);
  return near;
}

}  // namespace optitree
