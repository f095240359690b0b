// Every optimal tree as the regularization falls.
#pragma once

#include <cstddef>
#include <vector>

#include "answers/descent.hpp"
#include "common/options.hpp"
#include "common/watch.hpp"
#include "problem/problem.hpp"

namespace optitree {

struct Path {
  Status status;
  std::vector<Step> steps;  // from few leaves to many; neighbours meet unless a limit came first
  double seconds;
  std::uint64_t solved;
  std::uint64_t cached;
  std::size_t bytes;
};

// From one leaf down to the regularization in `restrictions`, or until the first tree with as many
// leaves as it allows, or more; the last step may then have more.
Path solve_path(const GroupTable& table, const Restrictions& restrictions, const Limits& limits,
                const Options& options, const Monitor& monitor, std::size_t threads = 1);

}  // namespace optitree
