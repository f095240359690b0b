// Every optimal tree as the regularization falls.
#pragma once

#include <cstddef>
#include <vector>

#include "options.hpp"
#include "problem.hpp"
#include "tree.hpp"
#include "watch.hpp"

namespace optitree {

// A tree that is proven optimal at every regularization from `low` to `high`.
struct PathStep {
  Tree tree;
  double loss;  // in units of the root loss
  double low;
  double high;
};

struct Path {
  Status status;
  std::vector<PathStep> steps;  // from few leaves to many; neighbours meet unless a limit came first
  double seconds;
  std::uint64_t solved;
  std::uint64_t cached;
  std::size_t bytes;
};

// From one leaf down to the regularization in `restrictions`.
Path solve_path(const GroupTable& table, const Restrictions& restrictions, const Limits& limits,
                const Options& options, const Monitor& monitor, std::size_t threads = 1);

}  // namespace optitree
