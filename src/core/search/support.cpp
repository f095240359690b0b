#include "search/support.hpp"

#include <algorithm>

namespace optitree {

bool same_support(const std::uint64_t* key, const Support& support, const Problem& problem,
                  const Implications& implications) {
  if (support.conjunction.extends_to(key, support.filter, implications)) return true;
  const std::size_t words = problem.words();
  const auto holds = problem.holds(support.filter);
  for (const std::uint32_t g : support.members) {
    if (!holds(g)) continue;
    const std::uint64_t* const bits = problem.bits(g);
    std::uint64_t broken = 0;
    for (std::size_t k = 0; k < words; ++k) {
      broken |= (key[k] & ~bits[k]) | (key[words + k] & bits[k]);
    }
    if (broken != 0) return false;
  }
  return true;
}

}  // namespace optitree
