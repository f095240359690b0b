// The core in one call: groups in, a solution out.
#pragma once

#include <vector>

#include "options.hpp"
#include "problem.hpp"
#include "tree.hpp"
#include "watch.hpp"

namespace optitree {

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
};

Solution solve(const GroupTable& table, const Restrictions& restrictions, const Limits& limits,
               const Options& options, const Monitor& monitor, bool record_trace,
               std::size_t threads = 1);

}  // namespace optitree
