#include "search/support_numbers.hpp"

namespace optitree {

SupportNumbers::SupportNumbers(const Problem& problem, const Implications& implications)
    : problem_(problem), implications_(implications) {
  std::uint64_t hash = 0;
  for (std::uint32_t g = 0; g < problem.groups(); ++g) hash += problem.tag(g);
  numbered_.push_back({hash, static_cast<std::uint32_t>(problem.groups())});
  keys_.assign(implications.words(), 0);
  by_hash_.emplace(hash, kEverything);
}

std::uint32_t SupportNumbers::number(const Support& support) {
  const std::size_t words = implications_.words();
  const auto [begin, end] = by_hash_.equal_range(support.hash);
  for (auto at = begin; at != end; ++at) {
    if (numbered_[at->second].groups == support.groups &&
        same_support(keys_.data() + at->second * words, support, problem_, implications_)) {
      return at->second;
    }
  }
  const auto added = static_cast<std::uint32_t>(numbered_.size());
  numbered_.push_back({support.hash, support.groups});
  for (std::size_t k = 0; k < words; ++k) {
    keys_.push_back(support.conjunction.extended(k, support.filter, implications_));
  }
  by_hash_.emplace(support.hash, added);
  return added;
}

}  // namespace optitree
