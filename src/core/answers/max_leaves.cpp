#include "answers/max_leaves.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "answers/descent.hpp"
#include "answers/describe.hpp"
#include "answers/leaf_frontier.hpp"
#include "answers/prune_to_leaves.hpp"
#include "answers/rounding.hpp"
#include "answers/trace.hpp"
#include "answers/unproven.hpp"

namespace optitree {

namespace {

constexpr double kSecondsOfShallow = 0.25;
constexpr Depth kShallow = 3;

// A tree with K leaves has at most K - 1 splits on the way to a leaf. That limits the trees of more
// leaves too, with which it competes below; the bounds are the better for it.
Task without_useless_depth(Task task) {
  const std::uint32_t deepest = task.restrictions.max_leaves - 1;
  if (deepest < task.restrictions.max_depth) {
    task.restrictions.max_depth = static_cast<Depth>(deepest);
  }
  return task;
}

// Let K be the limit, lambda the regularization, and V(r) the cost of the best tree without a limit
// on leaves at a larger regularization r. A tree with k <= K leaves costs, at lambda,
//   loss + lambda k = loss + r k - (r - lambda) k >= V(r) - (r - lambda) K.
// So a tree with exactly K leaves that is optimal at some r >= lambda is optimal under the limit,
// and so is one with at most K leaves that is optimal at lambda itself. Otherwise there is an r at
// which a tree with fewer and one with more leaves than K are both optimal, and the first is the
// best so far: what is left of the difference to the bound is for the frontier.
class MaxLeaves {
 public:
  explicit MaxLeaves(const Task& task)
      : task_(without_useless_depth(task)),
        lambda_(task.restrictions.regularization),
        most_(task.restrictions.max_leaves),
        trace_(task_),
        descent_(task_, [this](const Progress& progress) { return report(progress); }),
        few_(descent_.steps().begin()) {
    take(few_->tree);
    lower_ = std::min(upper_, 2 * lambda_);  // one leaf, or more
  }

  Solution solve() {
    prove();
    if (!proven_) take_without_proof();
    return result();
  }

 private:
  void prove() {
    descend();
    if (!proven_ && !stopped()) close_in();
    if (!proven_ && !stopped()) search_frontier();
  }
  bool stopped() { return descent_.watch().stopped(); }
  // At lambda, above the floor.
  double cost(const Tree& tree) {
    const Problem& problem = descent_.problem();
    return relative_loss(tree, problem) - problem.floor_share() +
           lambda_ * static_cast<double>(tree.leaves());
  }
  void take(Tree tree) {
    upper_ = cost(tree);
    best_ = std::move(tree);
  }
  // The best of what can be had without a proof, and of what the same search finds among trees of
  // little depth.
  void take_without_proof() {
    stop_ = descent_.watch().status();
    for (const auto& shape :
         unproven_trees(descent_.search(), descent_.problem(), descent_.watch(), task_)) {
      Tree tree = prune_to_leaves(describe(*shape, descent_.problem(), task_), most_);
      if (strictly_better(cost(tree), upper_)) take(std::move(tree));
    }
    if (task_.restrictions.max_depth <= kShallow || stop_ == Status::kMemoryLimit) return;
    Task task{task_.table, task_.restrictions, task_.loss, {kSecondsOfShallow}, task_.options};
    task.restrictions.max_depth = kShallow;
    MaxLeaves shallow(task);
    shallow.prove();
    if (strictly_better(shallow.upper_, upper_)) take(std::move(shallow.best_));
    if (shallow.proven_) proven_depth_ = kShallow;
  }
  double bound_at(double r, double lower) const { return lower - (r - lambda_) * most_; }

  bool report(Progress progress) {
    const double r = descent_.problem().regularization();
    progress.lower = std::max(lower_, bound_at(r, progress.lower));
    progress.upper = upper_;
    return trace_.report(progress, descent_.problem().floor_share());
  }

  // Solves at r, where few_ is the best tree known.
  bool solve_at(double r) {
    const bool done = descent_.solve_at(r, few_);
    lower_ = std::max(lower_, bound_at(r, descent_.lower_bound()));
    return done;
  }

  // From large regularizations down to the first tree with too many leaves, or to lambda.
  void descend() {
    double at = descent_.problem().regularization();
    while (at > lambda_) {
      at = next_down(at, lambda_);
      if (!solve_at(at)) return;
      const auto next = std::next(few_);
      if (next == descent_.steps().end()) continue;
      if (next->leaves > most_) return;
      few_ = next;
      take(few_->tree);
    }
    proven_ = true;
  }

  // To the two optimal trees between which the limit lies.
  void close_in() {
    auto many = std::next(few_);
    while (few_->leaves < most_) {
      if (!solve_at(Descent::crossing(*few_, *many))) return;
      const auto between = std::next(few_);
      if (between == many || between->leaves >= many->leaves) return;
      if (between->leaves > most_) {
        many = between;
      } else {
        few_ = between;
        take(few_->tree);
      }
    }
    proven_ = true;
  }

  void search_frontier() {
    proven_ = !strictly_better(lower_, upper_);
    if (proven_) return;
    LeafFrontier frontier(descent_.search().leader(), descent_.problem(), descent_.watch(), most_);
    std::vector<double> asked(most_ + 1);
    for (std::size_t k = 1; k <= most_; ++k) asked[k] = upper_ - lambda_ * static_cast<double>(k);
    const Front front = frontier.solve(asked);
    if (stopped()) return;
    const auto cost_of = [&](std::uint32_t k) { return front.upper[k] + lambda_ * k; };
    double least = upper_;
    for (std::uint32_t k = 1; k <= most_; ++k) least = std::min(least, cost_of(k));
    if (strictly_better(least, upper_)) {
      std::uint32_t leaves = 1;
      while (strictly_better(least, cost_of(leaves))) ++leaves;
      const auto shape = frontier.canonical(leaves, front.upper[leaves]);
      if (shape == nullptr) return;
      take(describe(*shape, descent_.problem(), task_));
    }
    proven_ = true;
  }

  Solution result() {
    Solution solution;
    const double floor = descent_.problem().floor_share();
    solution.status = final_status(proven_, proven_ ? descent_.watch().status() : stop_);
    solution.tree = std::move(best_);
    solution.objective = upper_ + floor;
    solution.lower_bound = proven_ ? solution.objective : std::min(lower_, upper_) + floor;
    solution.proven_depth = proven_ ? kNoDepthLimit : proven_depth_;
    solution.effort = descent_.search().progress();
    trace_.finish(solution);
    allow_for_rounding(solution, descent_.problem());
    return solution;
  }

  const Task task_;
  const double lambda_;
  const std::uint32_t most_;
  Trace trace_;
  Descent descent_;
  Descent::At few_;  // the optimal tree with most leaves within the limit
  Tree best_;
  double upper_ = 0;
  double lower_ = 0;
  bool proven_ = false;
  Depth proven_depth_ = 0;
  Status stop_ = Status::kOptimal;  // why there is no proof
};

}  // namespace

Solution solve_with_max_leaves(const Task& task) { return MaxLeaves(task).solve(); }

}  // namespace optitree
