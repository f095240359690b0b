// What a search answers.
#pragma once

#include <vector>

#include "common/tree.hpp"
#include "common/watch.hpp"

namespace optitree {

struct Solution {
  Status status = Status::kOptimal;
  Tree tree;
  double objective = 0;  // of the tree: loss / root loss + regularization * leaves
  double lower_bound = 0;
  Effort effort;
  std::vector<Progress> trace;  // bounds as objectives; empty unless recorded
};

}  // namespace optitree
