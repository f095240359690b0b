// Trees that differ from the best one in a split, to make better ones of.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "common/watch.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"
#include "search/worker.hpp"

namespace optitree {

// At the root another split takes the longest and may gain the most; further down each is cheap. So
// every level has as much work as the others, and on a level the split that loses least for its
// support goes first.
class OtherTrees {
 public:
  OtherTrees(Worker& worker, const Problem& problem, const Watch& watch)
      : worker_(worker), problem_(problem), watch_(watch) {}

  // The tree with another split than those tried before, continued as the search knows best. Goes
  // on for about `seconds`, then finishes what it has. Null if there is none, or when halted.
  std::shared_ptr<const Shape> next(const std::shared_ptr<const Shape>& tree, double seconds);
  // What went into the last one.
  void charge(double work) { spent_[level_] += work; }
  // Since then the search may know more: every split is worth another try.
  void forget() { tried_.clear(); }

 private:
  using Tree = std::shared_ptr<const Shape>;
  // A split of a support, by its hash.
  struct Place {
    std::uint64_t hash = 0;
    Literal literal = 0;
    // That two are the same may cost a try, and no more.
    std::uint64_t key() const { return hash + 0x9E3779B97F4A7C15 * (literal + 1ULL); }
  };
  struct Candidate {
    Place place;
    double loses = kInfinity;  // as a share of what the support costs
  };

  void look_below(Node& node, const Shape& tree);
  Tree replaced(Node& node, const Tree& tree, const Place& place);
  bool goes_on(const Shape& tree) const;

  Worker& worker_;
  const Problem& problem_;
  const Watch& watch_;
  std::unordered_set<std::uint64_t> tried_;  // by their keys
  std::vector<Candidate> found_;             // by level
  std::vector<double> spent_;                // by level
  std::size_t level_ = 0;                    // of the last one
  double deadline_ = 0;
};

}  // namespace optitree
