// Counts what holds and what does not.
#pragma once

#include <algorithm>
#include <cstdio>

inline int failures = 0;
inline int checks = 0;
inline unsigned share = 1;  // one case in so many is run

// How many of `all` random cases to run.
inline unsigned cases(unsigned all) { return std::max(1U, all / share); }

inline void check(bool holds, const char* what, unsigned seed) {
  ++checks;
  if (holds) return;
  ++failures;
  std::printf("FAILED (seed %u): %s\n", seed, what);
}

// The tests of what happens to a table before the search: those of its columns, and of work that is
// ended in the middle, among them.
void test_tables();
void test_columns();
void test_level_sets();
void test_lookouts();
// Those of pair statistics counted by chains.
void test_chains();
void test_triples();
void test_better_trees();
// Those of splits exchanged for others.
void test_exchanges();
// Those of greedy trees and what pruning leaves of them.
void test_grown_trees();
// Those of all bounds together.
void test_random_options();
// Those of prices.hpp.
void test_prices();
// Those of losses that need the points of groups.
void test_points();
// Those of searches in several threads.
void test_threads();
// Those of trees nearly as good as the best.
void test_near_trees();
// Those of searches at several regularizations, or with a limit on leaves.
void test_descents();
