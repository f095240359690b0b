#include "problem/measured_groups.hpp"

#include <algorithm>
#include <numeric>

namespace optitree {

std::vector<std::uint32_t> sorted_by(const GroupData& table, std::span<const double> mean) {
  std::vector<std::uint32_t> order(table.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t words = table.words();
  const auto bits = [&](std::uint32_t g) { return table.bits.begin() + g * words; };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (mean[a] != mean[b]) return mean[a] < mean[b];
    return std::lexicographical_compare(bits(a), bits(a) + words, bits(b), bits(b) + words);
  });
  return order;
}

}  // namespace optitree
