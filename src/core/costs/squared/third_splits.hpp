// What third splits make of the quadrants of two others, under squared error.
#pragma once

#include <cstddef>

namespace optitree {

// What is read and written along third positions, for two positions f < g.
struct ThirdSplits {
  // Weights and sums of f, g, both and all.
  double f[2], g[2], both[2], all[2];
  const double *triple_weight, *triple_sum;  // of f, g and the third
  const double *f_weight, *f_sum;            // of f and the third
  const double *g_weight, *g_sum;            // of g and the third
  const double *weight, *sum;                // of the third
  std::size_t count;                         // of thirds
  double least_size;                         // of a leaf
  double *of_f[4], *of_g[4];                 // gains of the quadrants with the third,
  double of_both[4];                         // and of those of f and g
};

// Raises the gains of the quadrants: what a split makes of one is the sum of sum² / weight over its
// two sides, minus infinity where a side is too small for a leaf.
void measure_third_splits(ThirdSplits& line);

}  // namespace optitree
