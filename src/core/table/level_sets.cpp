#include "table/level_sets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace optitree {

namespace {

// Means closer than this share of the largest are equal, and ordered by code: what rounding of the
// sums does to them is far below.
constexpr double kPlaces = 1 << 30;

}  // namespace

void LevelSets::order(const TargetSums& total, std::uint32_t missing, double pull) {
  has_missing_ = !levels_.empty() && levels_.back().code == missing;
  there_ = static_cast<std::uint32_t>(levels_.size()) - (has_missing_ ? 1 : 0);
  known_ = has_missing_ ? total - levels_.back().sums : total;
  if (there_ == 0) return;
  const double mean = static_cast<double>(known_.sum) / static_cast<double>(known_.weight);
  const auto drawn = [&](const Level& level) {
    const auto own = static_cast<double>(level.sums.weight);
    return (static_cast<double>(level.sums.sum) - mean * own) / (own + pull);
  };
  double largest = 0;
  for (std::uint32_t k = 0; k < there_; ++k) {
    largest = std::max(largest, std::abs(drawn(levels_[k])));
  }
  for (std::uint32_t k = 0; k < there_ && largest > 0; ++k) {
    levels_[k].place = std::llrint(drawn(levels_[k]) / largest * kPlaces);
  }
  std::sort(levels_.begin(), levels_.begin() + there_, [](const Level& a, const Level& b) {
    return std::pair(a.place, a.code) < std::pair(b.place, b.code);
  });
}

std::vector<std::uint16_t> LevelSets::codes(std::uint32_t number) const {
  const auto size = static_cast<std::uint32_t>(levels_.size());
  std::uint32_t begin = number, end = number + 1;
  if (number >= 2 * size) {
    const std::uint32_t middle = number / 2 - size;
    begin = number % 2 == 0 ? 0 : middle;
    end = number % 2 == 0 ? middle : there_;
  }
  std::vector<std::uint16_t> result;
  for (std::uint32_t k = begin; k < end; ++k) {
    result.push_back(static_cast<std::uint16_t>(levels_[k].code));
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace optitree
