// Sets of levels: where all levels weigh the same, no set parts a node better than the best of
// those that are offered; rare levels do not lead; what is missing is in no set.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "table/level_sets.hpp"

using namespace optitree;

namespace {

double gain(const TargetSums& side, const TargetSums& total) {
  const TargetSums rest = total - side;
  if (side.weight == 0 || rest.weight == 0) return 0;
  const auto w = static_cast<double>(side.weight), v = static_cast<double>(rest.weight);
  const double contrast = static_cast<double>(side.sum) / w - static_cast<double>(rest.sum) / v;
  return contrast * contrast * w * v / (w + v);
}

struct Offered {
  double gain = 0;
  std::vector<std::uint16_t> codes;
};

// The best set that is offered, after a check that its sums are those of its codes.
Offered best_offered(const std::vector<TargetSums>& levels, std::uint32_t missing, unsigned seed) {
  LevelSets sets;
  TargetSums total;
  for (std::uint32_t code = 0; code < levels.size(); ++code) {
    if (levels[code].weight > 0) sets.add(code, levels[code]);
    total = total + levels[code];
  }
  sets.order(total, missing, 3);
  Offered best;
  bool right = true;
  sets.visit([&](std::uint32_t number, const TargetSums& sums) {
    TargetSums again;
    const std::vector<std::uint16_t> codes = sets.codes(number);
    for (const std::uint16_t code : codes) again = again + levels[code];
    const bool holds_missing = std::ranges::find(codes, missing) != codes.end();
    right = right && again.weight == sums.weight && again.sum == sums.sum &&
            std::ranges::is_sorted(codes) && !codes.empty() &&
            (!holds_missing || codes.size() == 1);
    if (gain(sums, total) > best.gain) best = {gain(sums, total), codes};
  });
  check(right, "the sums of a set are those of its levels, and what is missing is alone", seed);
  return best;
}

// The best of all sets of levels, and of what is missing alone.
double best_of_all(const std::vector<TargetSums>& levels, std::uint32_t missing) {
  TargetSums total;
  for (const TargetSums& sums : levels) total = total + sums;
  double best = missing < levels.size() ? gain(levels[missing], total) : 0;
  for (unsigned set = 1; set < 1U << std::min<std::size_t>(levels.size(), missing); ++set) {
    TargetSums side;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if ((set >> k & 1) != 0) side = side + levels[k];
    }
    best = std::max(best, gain(side, total));
  }
  return best;
}

}  // namespace

void test_level_sets() {
  for (unsigned seed = 0; seed < cases(2000); ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t size = 1 + random() % 9;
    const bool has_missing = random() % 2 == 0;
    std::vector<TargetSums> levels;
    for (std::uint32_t k = 0; k < size; ++k) {
      levels.push_back({8, static_cast<std::int64_t>(random() % 40) - 20});
    }
    if (has_missing) levels.push_back({5, static_cast<std::int64_t>(random() % 40) - 20});
    const double most = best_of_all(levels, size);
    check(std::abs(best_offered(levels, size, seed).gain - most) <= 1e-9 * (1 + most),
          "no set of levels gains more than the best of those offered", seed);
  }
  // 0 and 1 are frequent. The mean of 2 is below theirs, but it is rare and comes between them: the
  // levels are 0, 2, 1 in order, and 1 is alone.
  const std::vector<TargetSums> rare{{1000, 0}, {1000, 500}, {1, -1}};
  check(best_offered(rare, 3, 0).codes == std::vector<std::uint16_t>{1}, "rare levels do not lead",
        0);
  check(best_offered({}, 0, 0).codes.empty(), "a node without levels has no sets", 0);
  check(best_offered({{4, 2}}, 1, 0).codes.empty(), "one level parts nothing", 0);
}
