// Prices: no conjunction that can be a leaf is cheaper than its groups, whatever its length and
// whatever happened before.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/squared/greedy_tree.hpp"
#include "costs/squared/leaf_cost.hpp"
#include "costs/squared/squared_prices.hpp"
#include "sample.hpp"

using namespace optitree;

namespace {

constexpr double kRounding = 1e-12;
constexpr double kPlenty = 1e9;  // of work

// Visits every conjunction, one feature after the other. Prices promise something for those with
// more literals than the depth limit allows, too. Only where features are too many to visit them
// all, `longest_` ends it.
class Conjunctions {
 public:
  Conjunctions(const Problem& problem, const std::vector<double>& prices)
      : problem_(problem), prices_(prices), longest_(problem.features() <= 12 ? 12 : 2) {}

  // How much a possible leaf is cheaper than its groups at most.
  double worst() {
    std::vector<std::uint32_t> all(problem_.groups());
    std::iota(all.begin(), all.end(), 0U);
    worst_ = -kInfinity;
    visit(all, 0, longest_);
    return worst_;
  }

 private:
  void visit(const std::vector<std::uint32_t>& members, std::size_t feature, std::size_t literals) {
    Cell total;
    double price = 0;
    for (const std::uint32_t g : members) {
      total = total + problem_.cell(g);
      price += prices_[g];
    }
    if (!problem_.can_be_leaf(total)) return;  // nor can any part of it
    worst_ = std::max(worst_, price - leaf_cost(total, problem_.regularization()));
    if (literals == 0) return;
    for (; feature < problem_.features(); ++feature) {
      for (const Literal value : {0, 1}) {
        std::vector<std::uint32_t> part;
        const Literal literal = 2 * static_cast<Literal>(feature) + value;
        for (const std::uint32_t g : members) {
          if (problem_.holds(literal)(g)) part.push_back(g);
        }
        if (part.size() < members.size()) visit(part, feature + 1, literals - 1);
      }
    }
  }

  const Problem& problem_;
  const std::vector<double>& prices_;
  const std::size_t longest_;
  double worst_ = 0;
};

// What prices need beside a problem.
struct Setting {
  explicit Setting(const Sample& sample) : groups(sample), problem(problem_of(sample, groups)) {
    Axis axis;
    axis.clear(problem.features(), problem.words());
    for (std::uint32_t f = 0; f < problem.features(); ++f) axis.add(f);
    std::vector<std::uint32_t> all(problem.groups());
    std::iota(all.begin(), all.end(), 0U);
    PairTable pairs;
    pairs.reset(problem.features());
    pairs.add(problem, all, axis.mask.data(), axis.position_of);
    implications.learn(pairs, problem.total_cell());
  }

  SquaredPrices prices() { return {problem, implications, *greedy_tree(problem, watch, 1), pace}; }
  double leaf() const { return problem.root_cost(); }
  // Of an objective, the part that prices speak of.
  double above_floor(double objective) const { return objective - problem.floor_share(); }

  Groups groups;
  Problem problem;
  Implications implications;
  Watch watch{{}, nullptr};
  std::atomic<bool> unwind = false;
  Pace pace{watch, unwind, true};
};

double optimum(const Sample& sample) {
  Options without_prices;
  without_prices.prices = false;
  return solve_sample(sample, without_prices).objective;
}

// Improves prices a few times and checks all that they promise after each.
void check_prices(const Sample& sample, unsigned seed, int rounds) {
  Setting setting(sample);
  if (!setting.problem.has_prices() || setting.problem.regularization() <= 0) return;
  const double best = setting.above_floor(optimum(sample));
  SquaredPrices prices = setting.prices();
  check(prices.total() == 0, "prices that nobody has examined are not given out", seed);
  const double upper = seed % 2 == 0 ? best : setting.leaf();
  for (int round = 0; round < rounds; ++round) {
    const double before = prices.total();
    const bool better = prices.improve({upper, kPlenty, kPlenty});
    const std::vector<double>& price = prices.best();
    const double sum = std::accumulate(price.begin(), price.end(), 0.0);
    const double worst = Conjunctions(setting.problem, price).worst();
    check(round > 0 || better, "the first prices are better than none", seed);
    check(better == (prices.total() > before), "better prices have a larger total", seed);
    check(prices.total() >= before, "totals never fall", seed);
    check(prices.total() == sum, "the total is the sum of the prices", seed);
    check(std::ranges::min(price) >= 0, "prices are not negative", seed);
    check(worst <= kRounding, "no leaf is cheaper than its groups", seed);
    check(prices.total() <= best + kRounding, "no tree is cheaper than all groups", seed);
  }
}

void test_prices_of_every_conjunction() {
  for (unsigned seed = 0; seed < cases(2000); ++seed) {
    check_prices(random_sample(seed, 40, 7), seed, 4);
  }
}

// Prices from elsewhere, lowered until they hold: what was too cheap for them is named, and nothing
// else of what the search has changes.
void test_prices_that_are_held() {
  unsigned cheap_ones = 0, fine_ones = 0;
  for (unsigned seed = 0; seed < cases(600); ++seed) {
    Setting setting(random_sample(seed, 40, 7));
    const Problem& problem = setting.problem;
    if (!problem.has_prices() || problem.regularization() <= 0) continue;
    SquaredPrices prices = setting.prices();
    std::vector<double> asked(problem.groups());
    for (std::size_t g = 0; g < asked.size(); ++g) {
      const auto part = static_cast<double>((seed + 7 * g) % 11) / 11;
      asked[g] = part * problem.regularization() / (seed % 3 == 0 ? 100 : 1);
    }
    std::vector<double> held = asked;
    std::vector<std::vector<std::uint32_t>> cheap;
    check(prices.hold(held, cheap), "there is time to hold prices", seed);
    const double before = Conjunctions(problem, asked).worst();
    check(Conjunctions(problem, held).worst() <= kRounding, "prices hold once they are held", seed);
    check(before <= kRounding || !cheap.empty(), "a leaf that is too cheap is named", seed);
    check(before > -kRounding || held == asked, "prices that hold stay as they are", seed);
    for (std::size_t g = 0; g < held.size(); ++g) {
      check(held[g] <= asked[g], "no price rises", seed);
    }
    check(prices.total() == 0, "prices of the search stay as they are", seed);
    ++(cheap.empty() ? fine_ones : cheap_ones);
  }
  check(cheap_ones > 0 && fine_ones > 0, "some prices hold, and some do not", 0);
}

// Limits that bind: more features than splits on a path, leaves of several rows.
void test_prices_under_tight_limits() {
  for (unsigned seed = 0; seed < cases(600); ++seed) {
    Sample sample = random_sample(seed, 60, 12);
    sample.restrictions = {seed % 2 == 0 ? 0.03 : 0.003, static_cast<Depth>(2 + seed % 4),
                           static_cast<double>(1 + seed % 3)};
    std::ranges::fill(sample.weight, 0.5);
    check_prices(sample, seed, 4);
  }
}

void test_prices_with_more_features_than_a_word_has_bits() {
  for (unsigned seed = 0; seed < cases(8); ++seed) {
    Sample sample = random_sample(seed, 60, 1);
    while (sample.features <= 64) sample = random_sample(++seed * 1000, 60, 150);
    sample.restrictions = {0.01, 2, 1};
    check_prices(sample, seed, 3);
  }
}

// Light and heavy groups: the sums are rounded to the grid of the heavy ones.
void test_prices_of_unequal_weights() {
  for (unsigned seed = 0; seed < cases(300); ++seed) {
    Sample sample = random_sample(seed, 30, 6);
    for (std::size_t row = 0; row < sample.weight.size(); row += 2) sample.weight[row] *= 1e-6;
    sample.restrictions.min_samples_leaf = 1;
    check_prices(sample, seed, 3);
  }
}

// An improvement that gives up half way leaves what was valid before, and the next one goes on.
void test_an_improvement_that_gives_up() {
  for (unsigned seed = 0; seed < cases(400); ++seed) {
    Sample sample = random_sample(seed, 50, 8);
    sample.restrictions.regularization = 0.01;
    Setting setting(sample);
    if (!setting.problem.has_prices()) continue;
    SquaredPrices prices = setting.prices();
    for (int round = 0; round < 8; ++round) {
      const double total = prices.total();
      const std::vector<double> before = prices.best();
      const double work = round % 3 == 2 ? kPlenty : 100.0 * (seed % 50) * round;
      if (prices.improve({setting.leaf(), work, seed % 4 == 0 ? 1000.0 : kPlenty})) {
        const double worst = Conjunctions(setting.problem, prices.best()).worst();
        check(worst <= kRounding, "prices hold after attempts that gave up", seed);
      } else {
        check(prices.best() == before, "an attempt that gave up changes no price", seed);
        check(prices.total() == total, "an attempt that gave up does not change the total", seed);
      }
    }
    setting.unwind = true;
    const double total = prices.total();
    prices.improve({setting.leaf(), kPlenty, kPlenty});
    const double worst = Conjunctions(setting.problem, prices.best()).worst();
    check(prices.total() >= total, "an attempt that was called back loses nothing", seed);
    check(worst <= kRounding, "prices hold after an attempt that was called back", seed);
  }
}

// What was examined before a pass asks for less need not be examined again.
void test_passes_that_ask_for_less() {
  unsigned asked = 0;
  for (unsigned seed = 0; seed < cases(600); ++seed) {
    Sample sample = random_sample(seed, 60, 10);
    sample.restrictions.regularization = seed % 2 == 0 ? 0.01 : 0.002;
    Setting setting(sample);
    if (!setting.problem.has_prices()) continue;
    const double best = setting.above_floor(optimum(sample));
    SquaredPrices prices = setting.prices();
    for (int round = 0; round < 12; ++round) {
      const double total = prices.total();
      prices.improve({best, round % 4 == 3 ? kPlenty : 500.0 * (1 + seed % 40), kPlenty});
      if (prices.under_way()) {
        prices.ask_less(best / (2 + round));
        ++asked;
      }
      const double worst = Conjunctions(setting.problem, prices.best()).worst();
      check(worst <= kRounding, "prices hold after passes that asked for less", seed);
      check(prices.total() >= total, "asking for less loses nothing that is known", seed);
      check(prices.total() <= best + kRounding, "no tree is cheaper than all groups", seed);
    }
  }
  check(asked > cases(600), "passes were asked for less", 0);
}

// On the rows where the first feature holds so does the second: a leaf that is too deep by one path
// may not be by another. Prices that held for paths of limited length only once went wrong here.
void test_leaves_with_paths_of_several_lengths() {
  Sample sample{5, 1, {31, 31, 6, 4, 16, 28, 20}, {1, 0, 0, 0, 0, 2, 2}, {1, 3, 1, 1, 1, 1, 1}, {}};
  sample.restrictions = {0.03, 3, 1};
  Options eager;
  eager.eager = true;
  check(std::abs(solve_sample(sample, eager).objective - optimum(sample)) < 1e-9,
        "the optimum where one literal implies another", 0);
  check_prices(sample, 0, 10);
}

}  // namespace

void test_prices() {
  test_prices_of_every_conjunction();
  test_prices_that_are_held();
  test_prices_under_tight_limits();
  test_prices_with_more_features_than_a_word_has_bits();
  test_prices_of_unequal_weights();
  test_an_improvement_that_gives_up();
  test_passes_that_ask_for_less();
  test_leaves_with_paths_of_several_lengths();
}
