#include "costs/squared/third_splits.hpp"

#include <algorithm>

#include "common/lanes.hpp"
#include "costs/leaf_bounds.hpp"

namespace optitree {

namespace {

OPTITREE_INLINE void improve(double* known, const Lanes& gain) {
  store(known, most(load(known), gain));
}

}  // namespace

// Eight parts for each third position, each as a leaf; two of them together are a quadrant that was
// split, in three ways. A part that is too small makes no leaf.
OPTITREE_MULTIVERSION
void measure_third_splits(ThirdSplits& line) {
  const Lanes zero{}, least_size = zero + line.least_size, none = zero - kInfinity;
  const double f_w = line.f[0] - line.both[0], f_s = line.f[1] - line.both[1];  // without g
  const double g_w = line.g[0] - line.both[0], g_s = line.g[1] - line.both[1];
  const double neither_w = line.all[0] - line.f[0] - g_w, neither_s = line.all[1] - line.f[1] - g_s;
  Lanes best[4] = {none, none, none, none};
  for (std::size_t k = 0; k < line.count; k += kLanes) {
    const LaneMask there = Lanes{0, 1, 2, 3} < zero + static_cast<double>(line.count - k);
    const auto gain = [&](const Lanes& w, const Lanes& s) __attribute__((always_inline)) {
      return ((w >= least_size) & there) ? s * s / w : none;
    };
    const Lanes w111 = load(line.triple_weight + k), s111 = load(line.triple_sum + k);
    const Lanes w101 = load(line.f_weight + k) - w111, s101 = load(line.f_sum + k) - s111;
    const Lanes w011 = load(line.g_weight + k) - w111, s011 = load(line.g_sum + k) - s111;
    const Lanes w001 = load(line.weight + k) - load(line.f_weight + k) - w011;
    const Lanes s001 = load(line.sum + k) - load(line.f_sum + k) - s011;
    const Lanes g111 = gain(w111, s111);
    const Lanes g110 = gain(line.both[0] - w111, line.both[1] - s111);
    const Lanes g101 = gain(w101, s101), g100 = gain(f_w - w101, f_s - s101);
    const Lanes g011 = gain(w011, s011), g010 = gain(g_w - w011, g_s - s011);
    const Lanes g001 = gain(w001, s001), g000 = gain(neither_w - w001, neither_s - s001);
    best[0] = most(best[0], g111 + g110);
    best[1] = most(best[1], g101 + g100);
    best[2] = most(best[2], g011 + g010);
    best[3] = most(best[3], g001 + g000);
    improve(line.of_f[0] + k, g111 + g101);
    improve(line.of_f[1] + k, g110 + g100);
    improve(line.of_f[2] + k, g011 + g001);
    improve(line.of_f[3] + k, g010 + g000);
    improve(line.of_g[0] + k, g111 + g011);
    improve(line.of_g[1] + k, g110 + g010);
    improve(line.of_g[2] + k, g101 + g001);
    improve(line.of_g[3] + k, g100 + g000);
  }
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      line.of_both[quadrant] = std::max(line.of_both[quadrant], best[quadrant][lane]);
    }
  }
}

}  // namespace optitree
