#include "answers/max_leaves.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "answers/descent.hpp"
#include "answers/describe.hpp"
#include "answers/leaf_frontier.hpp"
#include "answers/one_search.hpp"
#include "answers/prune_to_leaves.hpp"
#include "answers/rounding.hpp"
#include "answers/trace.hpp"
#include "answers/unproven.hpp"

namespace optitree {

namespace {

constexpr double kSecondsOfShallow = 0.25;
constexpr Depth kShallow = 3;
// The proof has this share of the time before trees are looked for without one, in so many searches
// that take that share. What is left is for the proof again; or for the search at lambda, if its
// trees keep to the limit by themselves.
constexpr double kProofFirst = 0.5, kWithoutProof = 0.3;
constexpr int kSearches = 4;
// From one of them to the next the regularization changes by no more than this factor.
constexpr double kFurthest = 8;

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
        few_(descent_.steps().begin()),
        reached_(descent_.problem().regularization()) {
    take(few_->tree);
    lower_ = std::min(upper_, 2 * lambda_);  // one leaf, or more
  }

  Solution solve() {
    const double all = task_.limits.seconds;
    if (all < kInfinity) descent_.watch().last_until(kProofFirst * all);
    prove();
    if (!proven_ && may_go_on()) {
      search_around(all);
      descent_.watch().last_until(all);
      if (!proven_ && !interrupted_) prove();
    }
    if (!proven_) take_without_proof();
    return result();
  }

 private:
  // Whether a part of the time is over, and nothing else; the root has been looked at.
  bool may_go_on() {
    return descent_.watch().status() == Status::kTimeLimit &&
           descent_.watch().seconds() < task_.limits.seconds &&
           descent_.search().leader().implications().words() > 0;
  }
  // Goes on where it was stopped.
  void prove() {
    if (std::next(few_) == descent_.steps().end()) descend();
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
  // Searches of their own, without the limit on leaves, at regularizations at which about K leaves
  // may be optimal: each finds the best tree it can, of which K leaves are kept, and a bound.
  void search_around(double all) {
    const double end = descent_.watch().seconds() + kWithoutProof * all;
    double r = descent_.problem().regularization();
    bool free = false;  // trees at lambda keep to the limit: all that is left is for a proof there
    for (int k = 0; k < kSearches && !interrupted_; ++k) {
      const double now = descent_.watch().seconds();
      Task task = task_;
      task.restrictions.max_leaves = kNoLeafLimit;
      task.restrictions.regularization = r;
      task.limits = {free ? all - now : (end - now) / (kSearches - k),
                     task_.limits.bytes - descent_.watch().bytes()};
      task.monitor = [&](Progress progress) {
        progress.seconds += now;
        progress.lower = bound(), progress.upper = known(), progress.proven_depth = 0;
        return trace_.report(progress, descent_.problem().floor_share());
      };
      OneSearch search(task);
      const Solution found = search.solve();
      interrupted_ = found.status == Status::kInterrupted;
      const double least = found.lower_bound - descent_.problem().floor_share();
      noted_lower_ = std::max(noted_lower_, bound_at(r, least));
      solved_ += found.effort.solved;
      const bool whole = search.proven() && search.stop() == Status::kOptimal;
      if (r == lambda_ && whole && found.tree.leaves() <= most_) {
        take(found.tree);  // optimal among all trees, and the canonical one of them
        proven_ = true;
        return;
      }
      note(prune_to_leaves(found.tree, most_));
      if (free) return;
      // About as many leaves as there are regularizations below one.
      const double leaves = static_cast<double>(found.tree.leaves());
      free = r == lambda_ && leaves <= most_;
      const double factor = std::clamp(leaves / most_, 1 / kFurthest, kFurthest);
      r = std::max(factor * r, lambda_);
    }
  }
  // A tree that is known beside the proof, which goes its way without it, and without such bounds:
  // what is proven in the end is the same tree however much time there was.
  void note(Tree tree) {
    const double its = cost(tree);
    if (!strictly_better(its, noted_cost_)) return;
    noted_cost_ = its;
    noted_ = std::move(tree);
  }
  double known() const { return std::min(upper_, noted_cost_); }
  double bound() const { return std::max(lower_, noted_lower_); }
  // The best of what can be had without a proof, and of what the same search finds among trees of
  // little depth.
  void take_without_proof() {
    stop_ = interrupted_ ? Status::kInterrupted : descent_.watch().status();
    for (const auto& shape :
         unproven_trees(descent_.search(), descent_.problem(), descent_.watch(), task_)) {
      note(prune_to_leaves(describe(*shape, descent_.problem(), task_), most_));
    }
    if (task_.restrictions.max_depth > kShallow && stop_ != Status::kMemoryLimit) look_at_shallow();
    if (strictly_better(noted_cost_, upper_)) take(std::move(noted_));
  }
  void look_at_shallow() {
    Task task{task_.table, task_.restrictions, task_.loss, {kSecondsOfShallow}, task_.options};
    task.restrictions.max_depth = kShallow;
    MaxLeaves shallow(task);
    shallow.prove();
    if (shallow.proven_) proven_depth_ = kShallow;
    note(std::move(shallow.best_));
  }
  double bound_at(double r, double lower) const { return lower - (r - lambda_) * most_; }

  bool report(Progress progress) {
    const double r = descent_.problem().regularization();
    progress.lower = std::max(bound(), bound_at(r, progress.lower));
    progress.upper = known();
    return trace_.report(progress, descent_.problem().floor_share());
  }

  // Solves at r, where few_ is the best tree known.
  bool solve_at(double r) {
    const bool done = descent_.solve_at(r, few_);
    lower_ = std::max(lower_, bound_at(r, descent_.lower_bound()));
    return done;
  }

  // From large regularizations down to the first tree with too many leaves, or to lambda. One that
  // was not finished is taken up again: only what is reached is proven.
  void descend() {
    while (reached_ > lambda_) {
      const double r = next_down(reached_, lambda_);
      if (!solve_at(r)) return;
      reached_ = r;
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
    if (!frontier_) {
      frontier_.emplace(descent_.search().leader(), descent_.problem(), descent_.watch(), most_);
    }
    std::vector<double> asked(most_ + 1);
    for (std::size_t k = 1; k <= most_; ++k) asked[k] = upper_ - lambda_ * static_cast<double>(k);
    const Front front = frontier_->solve(asked);
    if (stopped()) return;
    const auto cost_of = [&](std::uint32_t k) { return front.upper[k] + lambda_ * k; };
    double least = upper_;
    for (std::uint32_t k = 1; k <= most_; ++k) least = std::min(least, cost_of(k));
    if (strictly_better(least, upper_)) {
      std::uint32_t leaves = 1;
      while (strictly_better(least, cost_of(leaves))) ++leaves;
      const auto shape = frontier_->canonical(leaves, front.upper[leaves]);
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
    solution.lower_bound = proven_ ? solution.objective : std::min(bound(), upper_) + floor;
    solution.proven_depth = proven_ ? kNoDepthLimit : proven_depth_;
    solution.effort = descent_.search().progress();
    solution.effort.solved += solved_;
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
  double reached_;   // the regularization down to which no other is optimal
  std::optional<LeafFrontier> frontier_;
  Tree best_;
  double upper_ = 0;
  Tree noted_;
  double noted_cost_ = kInfinity, noted_lower_ = 0;
  double lower_ = 0;
  bool proven_ = false;
  Depth proven_depth_ = 0;
  std::uint64_t solved_ = 0;        // subproblems, beside those of the proof
  bool interrupted_ = false;        // beside the proof
  Status stop_ = Status::kOptimal;  // why there is no proof
};

}  // namespace

Solution solve_with_max_leaves(const Task& task) { return MaxLeaves(task).solve(); }

}  // namespace optitree
