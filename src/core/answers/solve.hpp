// The core in one call: groups in, a solution out.
#pragma once

#include <vector>

#include "answers/near_optimal_trees.hpp"
#include "common/options.hpp"
#include "common/tree.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"

namespace optitree {

struct NearTree {
  Tree tree;
  double objective;
};

// The trees that are nearly as good as the best.
struct NearOptimal {
  Status status = Status::kOptimal;  // or what ended it before all were found
  std::vector<NearTree> trees;       // in order; none if the optimum is not proven
  double lower_bound = 0;            // no tree that is missing has an objective below it
  bool more = false;                 // than were asked for
};

struct Solution {
  Status status;
  Tree tree;
  double objective;  // of the tree: loss / root loss + regularization * leaves
  double lower_bound;
  double seconds;
  std::uint64_t solved;  // subproblems expanded
  std::uint64_t cached;
  std::size_t bytes;
  std::vector<Progress> trace;  // bounds as objectives; empty unless recorded
  NearOptimal near;             // if asked for
};

Solution solve(const GroupTable& table, const Restrictions& restrictions, const Limits& limits,
               const Options& options, const Monitor& monitor, bool record_trace,
               std::size_t threads = 1, const NearRequest& near = {});

}  // namespace optitree
