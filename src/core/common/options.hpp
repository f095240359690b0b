// Switches for tests and ablations: each bound can be turned off without changing the answer.
#pragma once

namespace optitree {

struct Options {
  bool hierarchical = true;          // prune a split by the sum of its children's lower bounds
  bool lookahead = true;             // a subproblem that is split has at least two leaves
  bool leaf_count = true;            // a tree that goes on below a split has at least three
  bool pairs = true;                 // look at second splits through the pair statistics
  bool kmeans = true;                // k-means equivalent-points bound
  bool prices = true;                // no leaf is cheaper than the prices of its groups
  bool eager = false;                // prices and threads at once, not only when they may pay
  bool subset = true;                // a support costs no less than any part of it
  bool cache = true;                 // reuse bounds of supports met before
  bool subtraction = true;           // big child = parent minus small child
  bool merge_equal_features = true;  // features equal on a support are tried once
};

}  // namespace optitree
