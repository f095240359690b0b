// What a search answers.
#pragma once

#include <vector>

#include "common/tree.hpp"
#include "common/watch.hpp"
#include "problem/restrictions.hpp"

namespace optitree {

struct Solution {
  Status status = Status::kOptimal;
  Tree tree;
  double objective = 0;  // of the tree: loss / root loss + regularization * leaves
  double lower_bound = 0;
  // No tree with so many splits on the way to a leaf, or fewer, is better; kNoDepthLimit: none at
  // all.
  Depth proven_depth = 0;
  Effort effort;
  std::vector<Progress> trace;  // bounds as objectives
  // What every group costs at least in any leaf, by the caller's number, in units of the root loss;
  // empty if the search did without (costs/prices.hpp). A proof begins with them.
  std::vector<double> prices;
};

}  // namespace optitree
