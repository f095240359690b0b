#include "answers/hold_prices.hpp"

#include <atomic>
#include <numeric>

#include "problem/axis.hpp"
#include "problem/pair_table.hpp"

namespace optitree {

namespace {

Implications learn(const Problem& problem) {
  std::vector<std::uint32_t> all(problem.groups());
  std::iota(all.begin(), all.end(), 0U);
  Axis axis;
  axis.clear(problem.features(), problem.words());
  for (std::uint32_t f = 0; f < problem.features(); ++f) axis.add(f);
  PairTable pairs;
  pairs.reset(problem.features());
  pairs.add(problem, all, axis.mask.data(), axis.position_of);
  Implications implications;
  implications.learn(pairs, problem.total_cell());
  return implications;
}

}  // namespace

HeldPrices hold_prices(const Task& task, std::span<const double> prices) {
  HeldPrices held;
  Watch watch(task.limits, task.monitor);
  watch.observe([] { return Progress{}; });
  const Problem problem = make_problem(task.table, task.restrictions, *task.loss);
  if (!problem.has_prices() || !(problem.regularization() > 0)) return held;
  const Implications implications = learn(problem);
  const std::atomic<bool> unwind = false;
  Pace pace(watch, unwind, true);
  const auto made = task.loss->prices(problem, implications, Shape{}, pace);
  if (made == nullptr) return held;
  std::vector<double> price(problem.groups());
  for (std::uint32_t g = 0; g < price.size(); ++g) price[g] = prices[problem.original(g)];
  held.complete = made->hold(price, held.cheap);
  held.prices.resize(price.size());
  for (std::uint32_t g = 0; g < price.size(); ++g) held.prices[problem.original(g)] = price[g];
  for (auto& groups : held.cheap) {
    for (std::uint32_t& g : groups) g = problem.original(g);
  }
  return held;
}

}  // namespace optitree
