// Counts what holds and what does not.
#pragma once

#include <cstdio>

inline int failures = 0;
inline int checks = 0;

inline void check(bool holds, const char* what, unsigned seed) {
  ++checks;
  if (holds) return;
  ++failures;
  std::printf("FAILED (seed %u): %s\n", seed, what);
}

// The tests of what happens to a table before the search, those of its columns among them.
void test_tables();
void test_columns();
