#include "answers/max_leaves.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "answers/descent.hpp"
#include "answers/greedy_tree.hpp"
#include "answers/leaf_frontier.hpp"
#include "answers/prune_to_leaves.hpp"
#include "search/read_off.hpp"

namespace optitree {

namespace {

constexpr double kSecondsToReadOff = 0.25;
constexpr Depth kShallow = 3;

// A tree with K leaves has at most K - 1 splits on a path. That limits the trees of more leaves
// too, with which it competes below; the bounds are the better for it.
Restrictions without_useless_depth(Restrictions restrictions) {
  const std::uint32_t deepest = restrictions.max_leaves - 1;
  if (deepest < restrictions.max_depth) restrictions.max_depth = static_cast<Depth>(deepest);
  return restrictions;
}

// Let K be the limit, lambda the regularization, and V(r) the cost of the best tree without a limit
// on leaves at a larger regularization r. A tree with k <= K leaves costs, at lambda,
//   loss + lambda k = loss + r k - (r - lambda) k >= V(r) - (r - lambda) K.
// So a tree with exactly K leaves that is optimal at some r >= lambda is optimal under the limit,
// and so is one with at most K leaves that is optimal at lambda itself. Otherwise there is an r at
// which a tree with fewer and one with more leaves than K are both optimal, and the first is the
// best so far: what is left of the difference to the bound is for the frontier.
class Limited {
 public:
  Limited(const GroupTable& table, const Restrictions& restrictions, const Limits& limits,
          const Options& options, const Monitor& monitor, bool record_trace, std::size_t threads)
      : table_(table),
        lambda_(restrictions.regularization),
        most_(restrictions.max_leaves),
        options_(options),
        monitor_(monitor),
        record_trace_(record_trace),
        descent_(
            table, without_useless_depth(restrictions), limits, options,
            [this](const Progress& progress) { return report(progress); }, threads),
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
    const double total = descent_.problem().total();
    const double loss = total > 0 ? tree.loss() / total - descent_.floor() : 0;
    return loss + lambda_ * static_cast<double>(tree.leaves());
  }
  void take(Tree tree) {
    upper_ = cost(tree);
    best_ = std::move(tree);
  }
  // The best of what can be had without a proof: a tree that the search has met, one grown
  // greedily, and what the same search finds among trees of little depth.
  void take_without_proof() {
    Problem& problem = descent_.problem();
    stop_ = descent_.watch().status();
    descent_.watch().release();
    Extraction extraction(descent_.search().leader(), problem, descent_.watch());
    offer(*extraction.best_known(kSecondsToReadOff));
    Restrictions restrictions = problem.restrictions();
    restrictions.regularization = lambda_;
    problem.set_regularization(lambda_);
    offer(*extraction.greedy(kSecondsToReadOff));
    if (problem.loss().squared()) offer(*grown_tree(problem, descent_.watch(), kSecondsToReadOff));
    if (restrictions.max_depth <= kShallow || stop_ == Status::kMemoryLimit) return;
    restrictions.max_depth = kShallow;
    Limited shallow(table_, restrictions, {kSecondsToReadOff}, options_, nullptr, false, 1);
    shallow.prove();
    if (strictly_better(shallow.upper_, upper_)) take(std::move(shallow.best_));
  }
  void offer(const Shape& shape) {
    Tree tree = cut_back(describe(shape, descent_.problem(), table_), most_);
    if (strictly_better(cost(tree), upper_)) take(std::move(tree));
  }
  double bound_at(double r, double lower) const { return lower - (r - lambda_) * most_; }

  bool report(Progress progress) {
    const double r = descent_.problem().regularization();
    progress.lower = std::max(lower_, bound_at(r, progress.lower)) + descent_.floor();
    progress.upper = upper_ + descent_.floor();
    if (record_trace_) trace_.push_back(progress);
    return !monitor_ || monitor_(progress);
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
    Frontier frontier(descent_.search().leader(), descent_.problem(), descent_.watch(), most_);
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
      take(describe(*shape, descent_.problem(), table_));
    }
    proven_ = true;
  }

  Solution result() {
    Solution solution{};
    const Progress end = descent_.search().progress();
    const double floor = descent_.floor();
    solution.status = proven_ ? descent_.watch().status() : stop_;
    // Of the reasons to stop after a proof only a request is passed on.
    if (proven_ && solution.status != Status::kInterrupted) solution.status = Status::kOptimal;
    if (!proven_ && solution.status == Status::kOptimal) solution.status = Status::kTimeLimit;
    solution.tree = std::move(best_);
    solution.objective = upper_ + floor;
    solution.lower_bound = proven_ ? solution.objective : std::min(lower_, upper_) + floor;
    solution.seconds = end.seconds;
    solution.solved = end.solved;
    solution.cached = end.cached;
    solution.bytes = end.bytes;
    solution.trace = std::move(trace_);
    if (record_trace_) {
      solution.trace.push_back(end);
      solution.trace.back().lower = solution.lower_bound;
      solution.trace.back().upper = solution.objective;
    }
    return solution;
  }

  const GroupTable& table_;
  const double lambda_;
  const std::uint32_t most_;
  const Options& options_;
  const Monitor monitor_;
  const bool record_trace_;
  Descent descent_;
  Descent::At few_;  // the optimal tree with most leaves within the limit
  Tree best_;
  double upper_ = 0;
  double lower_ = 0;
  bool proven_ = false;
  Status stop_ = Status::kOptimal;  // why there is no proof
  std::vector<Progress> trace_;
};

}  // namespace

Solution solve_limited(const GroupTable& table, const Restrictions& restrictions,
                       const Limits& limits, const Options& options, const Monitor& monitor,
                       bool record_trace, std::size_t threads) {
  return Limited(table, restrictions, limits, options, monitor, record_trace, threads).solve();
}

}  // namespace optitree
