// Numbers for supports: two supports have the same number if and only if they are equal.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "problem/conjunction.hpp"
#include "problem/problem.hpp"
#include "search/support.hpp"

namespace optitree {

// Kept like the keys of the cache: a conjunction for each support, compared in full.
class SupportNumbers {
 public:
  static constexpr std::uint32_t kEverything = 0;  // the number of all groups together

  SupportNumbers(const Problem& problem, const Implications& implications);

  std::uint32_t number(const Support& support);
  std::size_t size() const { return numbered_.size(); }
  std::size_t bytes_each() const {
    return sizeof(Numbered) + implications_.words() * sizeof(std::uint64_t) + kBytesToFindIt;
  }

 private:
  struct Numbered {
    std::uint64_t hash;
    std::uint32_t groups;
  };
  static constexpr std::size_t kBytesToFindIt = 48;

  const Problem& problem_;
  const Implications& implications_;
  std::vector<Numbered> numbered_;
  std::vector<std::uint64_t> keys_;  // one after the other
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace optitree
