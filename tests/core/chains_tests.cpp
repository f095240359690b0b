// Chains: pairs counted by heads are the pairs counted one by one, on any part of the features.
#include <random>
#include <vector>

#include "check.hpp"
#include "problem/pair_table.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

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
