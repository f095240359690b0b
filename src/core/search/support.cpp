#include "search/support.hpp"

#include <algorithm>

namespace optitree {

bool same_support(const std::uint64_t* key, const Support& support, const Problem& problem,
                  const Implications& implications) {
  if (support.conjunction.extends_to(key, support.filter, implications)) return true;
  const std::size_t words = problem.words();
  return std::ranges::all_of(support.members, [&](std::uint32_t g) {
    if (!problem.holds(g, support.filter)) return true;
    std::uint64_t broken = 0;
    for (std::size_t k = 0; k < words; ++k) {
      const std::uint64_t bits = problem.bits(g)[k];
      broken |= (key[k] & ~bits) | (key[words + k] & bits);
    }
    return broken == 0;
  });
}

}  // namespace optitree
