#include "path.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>

#include "extract.hpp"
#include "search.hpp"

namespace optitree {

namespace {

// On the way down the regularization falls by this factor at a time: what is above is finished
// before the harder problems below begin.
constexpr double kStep = 4;

// The cost of the best tree is the smallest of the lines loss(T) + r leaves(T), a concave function
// of the regularization r. Two optimal trees cross at one r; if no tree is better there, none is
// optimal between them, and r is where one takes over from the other. A better one splits the
// segment in two. (The same idea finds the hull of a set of points by asking for extreme ones.)
class Walk {
 public:
  Walk(const GroupTable& table, const Restrictions& restrictions, const Limits& limits,
       const Options& options, const Monitor& monitor, std::size_t threads)
      : table_(table),
        restrictions_(restrictions),
        problem_(table, at_most_one(restrictions)),
        watch_(limits, monitor),
        search_(problem_, options, watch_, threads, true) {}

  Path walk() {
    add_single_leaf();
    double at = problem_.regularization();
    while (!done_ && at > restrictions_.regularization) {
      at = std::max(at / kStep, restrictions_.regularization);
      const Step last = std::prev(steps_.end());
      if (!solve_at(at, last, steps_.end())) break;
      if (!refine(last)) break;
    }
    return result();
  }

 private:
  struct Known : PathStep {
    Depth height;
    std::uint32_t leaves;
  };
  using Step = std::list<Known>::iterator;

  // With r >= 1 a second leaf costs more than all the loss there is.
  static Restrictions at_most_one(Restrictions restrictions) {
    restrictions.regularization = std::max(restrictions.regularization, 1.0);
    return restrictions;
  }

  void add_single_leaf() {
    Tree tree = describe(Shape{}, problem_, table_);
    const double loss = problem_.total() > 0 ? 1 : 0;
    steps_.push_back({{std::move(tree), loss, problem_.regularization(), kInfinity}, 0, 1});
    done_ = loss == 0;
  }

  double above_floor(double loss) const {
    return problem_.total() > 0 ? loss - problem_.floor() / problem_.total() : 0;
  }

  // Solves at a regularization where `left`, which has fewer leaves than any tree that may come
  // out, is the best tree known. A new tree goes before `right`. False at a limit.
  bool solve_at(double r, Step left, Step right) {
    const Bounds known{0, above_floor(left->loss) + r * left->leaves, left->height, left->leaves};
    const Bounds found = run(r, known);
    if (watch_.stopped()) return false;
    if (!strictly_better(found.upper, known.upper)) {
      left->low = std::min(left->low, r);
      return true;
    }
    Extraction extraction(search_.leader(), problem_, watch_);
    const auto shape = extraction.canonical(found.upper);
    if (shape == nullptr) return false;
    Tree tree = describe(*shape, problem_, table_);
    const double loss = tree.loss() / problem_.total();
    steps_.insert(right, {{std::move(tree), loss, r, r}, static_cast<Depth>(shape->depth),
                          shape->leaves});
    return true;
  }

  Bounds run(double r, const Bounds& known) {
    if (begun_) return search_.run_again(r, known);
    begun_ = true;
    problem_.set_regularization(r);
    return search_.run();
  }

  // Finds all trees between a step and the one after it. False at a limit.
  bool refine(Step left) {
    const Step right = std::next(left);
    if (right == steps_.end()) return true;
    if (left->leaves >= restrictions_.max_leaves) return done_ = true;
    const double r =
        (left->loss - right->loss) / static_cast<double>(right->leaves - left->leaves);
    if (!solve_at(r, left, right)) return false;
    const Step between = std::next(left);
    if (between == right) {
      left->low = right->high = r;
      return true;
    }
    return refine(left) && (done_ || refine(between));
  }

  Path result() {
    Path path{};
    path.status = watch_.status();
    std::ranges::move(steps_, std::back_inserter(path.steps));
    const Progress end = search_.progress();
    path.seconds = end.seconds;
    path.solved = end.solved;
    path.cached = end.cached;
    path.bytes = end.bytes;
    return path;
  }

  const GroupTable& table_;
  const Restrictions restrictions_;
  Problem problem_;
  Watch watch_;
  Search search_;
  std::list<Known> steps_;
  bool begun_ = false;
  bool done_ = false;
};

}  // namespace

Path solve_path(const GroupTable& table, const Restrictions& restrictions, const Limits& limits,
                const Options& options, const Monitor& monitor, std::size_t threads) {
  return Walk(table, restrictions, limits, options, monitor, threads).walk();
}

}  // namespace optitree
