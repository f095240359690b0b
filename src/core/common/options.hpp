// Switches for tests and ablations: each bound can be turned off without changing the answer.
#pragma once

namespace optitree {

struct Options {
  bool hierarchical = true;          // prune a split by the sum of its children's lower bounds
  bool lookahead = true;             // a subproblem that is split has at least two leaves
  bool leaf_count = true;            // a tree that goes on below a split has at least three
  bool pairs = true;                 // look at second splits through the pair statistics
  bool kmeans = true;                // clustering bounds: k-means, k-medians
  bool prices = true;                // no leaf is cheaper than the prices of its groups
  bool subset = true;                // a support costs no less than any part of it
  bool cache = true;                 // reuse bounds of supports met before
  bool subtraction = true;           // big child = parent minus small child
  bool triples = true;               // solve all children of depth two of a node at once
  bool chains = true;                // count a head for each chain of features, not every one
  bool merge_equal_features = true;  // features equal on a support are tried once
  // No bound: prices, threads, rungs and triples at once, not only when they may pay.
  bool eager = false;
};

struct Switch {
  const char* name;
  bool Options::* member;
};
// All bounds, for the bindings and for tests that switch each of them off.
inline constexpr Switch kBounds[] = {
    {"hierarchical", &Options::hierarchical},
    {"lookahead", &Options::lookahead},
    {"leaf_count", &Options::leaf_count},
    {"pairs", &Options::pairs},
    {"kmeans", &Options::kmeans},
    {"prices", &Options::prices},
    {"subset", &Options::subset},
    {"cache", &Options::cache},
    {"subtraction", &Options::subtraction},
    {"triples", &Options::triples},
    {"chains", &Options::chains},
    {"merge_equal_features", &Options::merge_equal_features},
};

}  // namespace optitree
