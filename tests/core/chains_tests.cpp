// Chains: pairs counted by heads are the pairs counted one by one, on any part of the features.
#include <random>
#include <vector>

#include "check.hpp"
#include "problem/pair_table.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

// Thresholds of a few columns, asked either way and now and then twice, and levels between them.
Sample columns(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  Sample sample = noise(seed, 20 + below(200), 1);
  std::vector<std::vector<bool>> features;
  const unsigned count = 1 + below(12);
  for (unsigned c = 0; c < count; ++c) {
    std::vector<unsigned> value(sample.target.size());
    for (unsigned& v : value) v = below(8);
    const bool levels = below(3) == 0, over = below(2) == 0;
    for (unsigned t = 0; t < 8; t += 1 + below(2)) {
      std::vector<bool> holds;
      for (const unsigned v : value) holds.push_back(levels ? v == t : over ? v > t : v <= t);
      for (unsigned times = below(5) == 0 ? 2 : 1; times > 0; --times) features.push_back(holds);
    }
  }
  sample.features = features.size();
  sample.words = (features.size() + 63) / 64;
  sample.bits.assign(sample.words * sample.target.size(), 0);
  for (std::size_t r = 0; r < sample.target.size(); ++r) {
    for (std::size_t f = 0; f < features.size(); ++f) {
      sample.bits[r * sample.words + f / 64] |= std::uint64_t{features[f][r]} << (f % 64);
    }
  }
  return sample;
}

bool equal(const PairTable& a, const PairTable& b) {
  for (std::size_t i = 0; i < a.dimension(); ++i) {
    if (a.hash(i) != b.hash(i) || a.groups(i) != b.groups(i)) return false;
    for (std::size_t j = i; j < a.dimension(); ++j) {
      for (int lane = 0; lane < 4; ++lane) {
        if (a.at(i, j).lanes[lane] != b.at(i, j).lanes[lane]) return false;
      }
    }
  }
  return true;
}

}  // namespace

void test_chains() {
  unsigned chained = 0;
  for (unsigned seed = 0; seed < cases(500); ++seed) {
    const Sample sample = columns(seed);
    const Groups groups(sample);
    const Problem problem = problem_of(sample, groups);
    if (!problem.chains().any()) continue;
    ++chained;
    std::mt19937 random(seed);
    Axis axis;
    axis.clear(problem.features(), problem.words());
    for (std::uint32_t f = 0; f < problem.features(); ++f) {
      if (random() % 4 != 0) axis.add(f);
    }
    axis.link(problem.chains());
    std::vector<std::uint32_t> some;
    for (std::uint32_t g = 0; g < problem.groups(); ++g) {
      if (random() % 3 != 0) some.push_back(g);
    }
    PairTable one_by_one, by_heads;
    one_by_one.reset(axis.size());
    one_by_one.add(problem, some, axis.mask.data(), axis.position_of);
    by_heads.reset(axis.size());
    by_heads.add_heads(problem, some, axis);
    by_heads.add_up(axis);
    check(equal(one_by_one, by_heads), "heads tell all pairs", seed);
  }
  check(chained > cases(500) / 2, "there are chains", chained);
}
