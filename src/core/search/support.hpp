// Supports that need not be written out.
#pragma once

#include <cstdint>

#include "problem/conjunction.hpp"
#include "problem/problem.hpp"

namespace optitree {

// Those of `members` for which `filter` holds.
struct Support {
  std::uint64_t hash;
  std::uint32_t groups;
  Members members;
  const Conjunction& conjunction;  // leads to `members`
  Literal filter;
};

// Whether a support is that of the conjunction `key`, if it has as many groups: the conjunctions
// are equal, or each group of the support satisfies every literal of the key.
bool same_support(const std::uint64_t* key, const Support& support, const Problem& problem,
                  const Implications& implications);

}  // namespace optitree
