// The core's own tests: no Python, so that they can run under the sanitizers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "binning.hpp"
#include "bounds.hpp"
#include "greedy.hpp"
#include "grouping.hpp"
#include "kmeans.hpp"
#include "pairs.hpp"
#include "solve.hpp"

using namespace optitree;

namespace {

int failures = 0;
int checks = 0;

void check(bool holds, const char* what, unsigned seed) {
  ++checks;
  if (holds) return;
  ++failures;
  std::printf("FAILED (seed %u): %s\n", seed, what);
}

// A random table of single-row groups and groups of several rows, with all the arrays it needs.
struct Sample {
  std::size_t features;
  std::size_t words;
  std::vector<std::uint64_t> bits;
  std::vector<double> target;
  std::vector<double> weight;
  Restrictions restrictions;

  bool holds(std::size_t row, std::size_t f) const {
    return (bits[row * words + f / 64] >> (f % 64)) & 1;
  }
};

Sample random_sample(unsigned seed, std::size_t most_rows, std::size_t most_features) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::normal_distribution<double> normal;
  Sample sample;
  const std::size_t rows = 1 + below(most_rows);
  sample.features = 1 + below(most_features);
  sample.words = (sample.features + 63) / 64;
  sample.bits.assign(rows * sample.words, 0);
  const std::size_t density = 2 + below(4);
  const bool ties = below(2) == 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t f = 0; f < sample.features; ++f) {
      if (below(density) == 0)
        sample.bits[row * sample.words + f / 64] |= std::uint64_t{1} << (f % 64);
    }
    sample.target.push_back(ties ? static_cast<double>(below(3)) : normal(random));
    sample.weight.push_back(static_cast<double>(1 + below(3)));
  }
  const double lambdas[] = {0, 0.001, 0.01, 0.05, 0.2};
  const Depth depths[] = {0, 1, 2, 3, 4, kNoDepthLimit, kNoDepthLimit};
  sample.restrictions = {lambdas[below(5)], depths[below(7)], static_cast<double>(1 + below(2))};
  return sample;
}

// Tries every tree on the rows; the objective of the best.
class BruteForce {
 public:
  explicit BruteForce(const Sample& sample) : sample_(sample) {
    const std::size_t rows = sample.target.size();
    double weight = 0, sum = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      weight += sample.weight[r];
      sum += sample.weight[r] * sample.target[r];
    }
    centre_ = sum / weight;
    total_ = loss((std::uint64_t{1} << rows) - 1);
  }

  double objective() {
    if (total_ <= 0) return sample_.restrictions.regularization;
    const std::uint64_t all = (std::uint64_t{1} << sample_.target.size()) - 1;
    const std::size_t most = std::min(sample_.features, sample_.target.size());
    return best(all, std::min<std::size_t>(sample_.restrictions.max_depth, most));
  }

 private:
  double loss(std::uint64_t rows) const {
    double weight = 0, sum = 0, square = 0;
    for (std::size_t r = 0; r < sample_.target.size(); ++r) {
      if (!((rows >> r) & 1)) continue;
      const double y = sample_.target[r] - centre_;
      weight += sample_.weight[r];
      sum += sample_.weight[r] * y;
      square += sample_.weight[r] * y * y;
    }
    return square - sum * sum / weight;
  }
  double best(std::uint64_t rows, std::size_t depth) {
    const auto [known, added] = memo_.try_emplace({rows, depth}, 0);
    if (!added) return known->second;
    double cost = loss(rows) / total_ + sample_.restrictions.regularization;
    for (std::size_t f = 0; depth > 0 && f < sample_.features; ++f) {
      std::uint64_t yes = 0;
      for (std::size_t r = 0; r < sample_.target.size(); ++r) {
        if (((rows >> r) & 1) && sample_.holds(r, f)) yes |= std::uint64_t{1} << r;
      }
      const std::uint64_t no = rows & ~yes;
      const double least = sample_.restrictions.min_samples_leaf;
      if (std::popcount(yes) < least || std::popcount(no) < least) continue;
      cost = std::min(cost, best(yes, depth - 1) + best(no, depth - 1));
    }
    return memo_[{rows, depth}] = cost;
  }

  const Sample& sample_;
  double centre_ = 0;
  double total_ = 0;
  std::map<std::pair<std::uint64_t, std::size_t>, double> memo_;
};

// The groups of a sample, with all the arrays that a GroupTable looks at.
struct Groups {
  explicit Groups(const Sample& sample) : features(sample.features) {
    const std::size_t rows = sample.target.size();
    std::vector<std::vector<std::uint32_t>> codes(features, std::vector<std::uint32_t>(rows));
    std::vector<CodeColumn> columns;
    for (std::size_t f = 0; f < features; ++f) {
      for (std::size_t row = 0; row < rows; ++row) codes[f][row] = sample.holds(row, f);
      columns.push_back({codes[f], 2});
    }
    const Partition partition = group_rows(columns, rows);
    for (const std::uint64_t row : partition.first) {
      const auto begin = sample.bits.begin() + static_cast<std::ptrdiff_t>(row * sample.words);
      bits.insert(bits.end(), begin, begin + static_cast<std::ptrdiff_t>(sample.words));
    }
    sums =
        add_up(partition.group_of, partition.first.size(), {sample.target, sample.weight, {}, {}});
  }
  GroupTable view() const {
    return {bits, sums.weight, sums.mean, sums.scatter, sums.rows, features};
  }

  std::size_t features;
  std::vector<std::uint64_t> bits;
  Statistics sums;
};

Solution solve_sample(const Sample& sample, const Options& options, const Limits& limits = {},
                      const Monitor& monitor = nullptr) {
  const Groups groups(sample);
  return solve(groups.view(), sample.restrictions, limits, options, monitor, true);
}

void test_against_brute_force() {
  bool Options::* const switches[] = {
      &Options::hierarchical, &Options::lookahead,   &Options::leaf_count,
      &Options::pairs,        &Options::kmeans,      &Options::subset,
      &Options::cache,        &Options::subtraction, &Options::merge_equal_features};
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Sample sample = random_sample(seed, 12, 5);
    const double best = BruteForce(sample).objective();
    const auto agrees = [&](const Options& options) {
      const Solution solution = solve_sample(sample, options);
      return std::abs(solution.objective - best) < 1e-9 && solution.status == Status::kOptimal;
    };
    check(agrees({}), "the optimum is found", seed);
    for (bool Options::* const bound : switches) {
      Options options;
      options.*bound = false;
      check(agrees(options), "the optimum is found without one of the bounds", seed);
    }
  }
}

void test_many_features() {  // more than one word of bits
  for (unsigned seed = 0; seed < 10; ++seed) {
    Sample sample = random_sample(seed, 40, 150);
    sample.restrictions.max_depth = std::min<Depth>(sample.restrictions.max_depth, 3);
    const Solution with = solve_sample(sample, {});
    Options plain;
    plain.kmeans = plain.subset = plain.cache = plain.pairs = plain.subtraction = false;
    const Solution without = solve_sample(sample, plain);
    check(std::abs(with.objective - without.objective) < 1e-9, "bounds do not matter", seed);
  }
}

void test_interruption() {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Sample sample = random_sample(seed, 60, 30);
    sample.restrictions.max_depth = 4;
    const Solution full = solve_sample(sample, {});
    Limits tight;
    tight.bytes = 20'000 + 3'000 * seed;
    const Solution stopped = solve_sample(sample, {}, tight);
    check(stopped.lower_bound <= full.objective + 1e-9, "lower bound of a stopped search", seed);
    check(stopped.objective >= full.objective - 1e-9, "objective of a stopped search", seed);
    Limits now;
    now.seconds = 0;
    const Solution at_once = solve_sample(sample, {}, now);
    check(at_once.lower_bound <= full.objective + 1e-9, "lower bound without time", seed);
  }
}

// The bound on buckets against the exact clustering of every group.
void test_kmeans() {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Sample sample = random_sample(seed, 300, 14);
    if (seed % 3 == 0) {  // rounding moves the means of the light groups
      for (std::size_t r = 0; r < sample.weight.size(); r += 2) sample.weight[r] *= 1e-14;
    }
    const Groups groups(sample);
    const Problem problem(groups.view(), sample.restrictions);
    std::vector<std::uint32_t> members(problem.groups());
    std::iota(members.begin(), members.end(), 0U);
    std::vector<double> best(members.size() + 1, 0);
    for (std::size_t j = 1; j < best.size(); ++j) {
      Cell cluster;
      best[j] = 1e300;
      for (std::size_t i = j; i-- > 0;) {
        cluster = cluster + problem.cell(members[i]);
        best[j] = std::min(best[j], best[i] + leaf_cost(cluster, problem.regularization()));
      }
    }
    const double bound = kmeans_bound(problem, members);
    check(bound <= best.back() + 1e-12, "the k-means bound is a bound", seed);
    if (members.size() <= kMostBuckets) {
      check(std::abs(bound - best.back()) < 1e-12, "the k-means bound is exact", seed);
    }
  }
}

void test_row_order() {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Sample sample = random_sample(seed, 30, 6);
    std::vector<std::size_t> order(sample.target.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    Sample shuffled = sample;
    for (std::size_t r = 0; r < order.size(); ++r) {
      shuffled.target[r] = sample.target[order[r]];
      shuffled.weight[r] = sample.weight[order[r]];
      for (std::size_t w = 0; w < sample.words; ++w) {
        shuffled.bits[r * sample.words + w] = sample.bits[order[r] * sample.words + w];
      }
    }
    const Solution a = solve_sample(sample, {});
    const Solution b = solve_sample(shuffled, {});
    bool same = a.objective == b.objective && a.tree.nodes.size() == b.tree.nodes.size();
    for (std::size_t k = 0; same && k < a.tree.nodes.size(); ++k) {
      same = a.tree.nodes[k].feature == b.tree.nodes[k].feature &&
             a.tree.nodes[k].mean == b.tree.nodes[k].mean;
    }
    check(same, "the order of the rows leaves no trace", seed);
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Few distinct values, so that values meet cuts, among them both zeros and NaN.
std::vector<double> random_values(std::mt19937& random, std::size_t size, int most) {
  std::uniform_int_distribution<int> whole(-most, most);
  std::vector<double> values;
  while (values.size() < size) {
    const int value = whole(random);
    if (value == most) values.push_back(kNan);
    else values.push_back(value == 0 && random() % 2 == 0 ? -0.0 : value / 4.0);
  }
  return values;
}

void test_distinct_levels() {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const std::vector<double> values = random_values(random, 1 + 50 * seed, 3 + 40 * (seed % 20));
    const Levels levels = distinct_levels(values);
    std::set<double> expected;  // takes -0 and 0 as one
    for (const double value : values) {
      if (!std::isnan(value)) expected.insert(value);
    }
    check(std::ranges::equal(levels.values, expected), "levels are the distinct values", seed);
    bool right = levels.codes.size() == values.size();
    for (std::size_t row = 0; right && row < values.size(); ++row) {
      right = std::isnan(values[row]) ? levels.codes[row] == levels.values.size()
                                      : levels.values[levels.codes[row]] == values[row];
    }
    check(right, "codes lead back to the values", seed);
  }
  const std::vector<double> zeros{-0.0, 0.0, -0.0};
  const Levels zero = distinct_levels(zeros);
  check(zero.values.size() == 1 && !std::signbit(zero.values[0]), "-0 is 0", 0);
  const Levels missing = distinct_levels(std::vector<double>{kNan, kNan});
  check(missing.values.empty() && missing.codes == std::vector<std::uint32_t>{0, 0}, "only NaN", 0);
  check(distinct_levels({}).codes.empty(), "no rows have no levels", 0);
}

void test_bins() {
  for (unsigned seed = 0; seed < 100; ++seed) {  // 16 cuts and more are looked up in another way
    std::mt19937 random(seed);
    const std::vector<double> values = random_values(random, 1 + 5 * seed, 100);
    std::vector<double> cuts = distinct_levels(random_values(random, seed % 41, 90)).values;
    const std::vector<std::uint32_t> codes = bin_codes(values, cuts);
    const BinRanges ranges = bin_ranges(values, cuts);
    std::vector<double> low(cuts.size() + 1, kInfinity), high(cuts.size() + 1, -kInfinity);
    bool right = codes.size() == values.size();
    for (std::size_t row = 0; right && row < values.size(); ++row) {
      if (std::isnan(values[row])) {
        right = codes[row] == cuts.size() + 1;
        continue;
      }
      right = codes[row] <= cuts.size();
      for (std::size_t k = 0; right && k < cuts.size(); ++k) {
        right = (values[row] <= cuts[k]) == (codes[row] <= k);
      }
      if (!right) break;
      low[codes[row]] = std::min(low[codes[row]], values[row]);
      high[codes[row]] = std::max(high[codes[row]], values[row]);
    }
    check(right, "x <= cuts[k] is code <= k", seed);
    check(ranges.low == low && ranges.high == high, "ranges of bins", seed);
  }
  const std::vector<double> nothing;
  const std::vector<double> missing{kNan, kNan};
  check(bin_codes(missing, nothing) == std::vector<std::uint32_t>{1, 1}, "NaN without cuts", 0);
  check(bin_ranges(missing, nothing).low == std::vector<double>{kInfinity}, "no range", 0);
}

// Columns of random codes whose product exceeds 64 bits as soon as there are a few of them.
struct CodeTable {
  std::vector<std::vector<std::uint32_t>> codes;
  std::vector<std::uint64_t> sizes;

  std::vector<CodeColumn> columns() const {
    std::vector<CodeColumn> result;
    for (std::size_t k = 0; k < codes.size(); ++k) result.push_back({codes[k], sizes[k]});
    return result;
  }
};

CodeTable random_codes(std::mt19937& random, std::size_t rows, std::size_t columns) {
  CodeTable table;
  std::vector<std::size_t> origin(rows);  // rows repeat earlier rows, so that groups have several
  for (std::size_t row = 0; row < rows; ++row) {
    origin[row] = random() % 2 == 0 ? row : random() % (row + 1);
  }
  for (std::size_t k = 0; k < columns; ++k) {
    const std::uint64_t sizes[] = {1, 2, 7, 70'000, std::uint64_t{1} << 32};
    table.sizes.push_back(sizes[random() % 5]);
    std::vector<std::uint32_t> codes(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto last = static_cast<std::uint32_t>(table.sizes[k] - 1);
      codes[row] =
          origin[row] < row ? codes[origin[row]] : last - random() % std::min(last + 1ULL, 3ULL);
    }
    table.codes.push_back(codes);
  }
  return table;
}

void test_grouping() {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const std::size_t rows = 1 + random() % 300;
    const CodeTable table = random_codes(random, rows, seed % 23);
    const Partition partition = group_rows(table.columns(), rows);
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
    std::vector<std::uint64_t> first;
    bool right = partition.group_of.size() == rows;
    for (std::size_t row = 0; right && row < rows; ++row) {
      std::vector<std::uint32_t> key;
      for (const std::vector<std::uint32_t>& codes : table.codes) key.push_back(codes[row]);
      const auto [found, added] = numbers.try_emplace(key, numbers.size());
      if (added) first.push_back(row);
      right = partition.group_of[row] == found->second;
    }
    check(right && partition.first == first, "groups are numbered by first appearance", seed);
  }
}

void test_sums() {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const std::size_t rows = 1 + random() % 400;
    const std::size_t groups = 1 + random() % 9;
    const std::size_t parts = groups * (1 + random() % 5);
    std::vector<double> y, weight;
    std::vector<std::uint32_t> part_of, group_of, group_of_part;
    for (std::size_t part = 0; part < parts; ++part) {
      group_of_part.push_back(static_cast<std::uint32_t>(part % groups));
    }
    for (std::size_t row = 0; row < rows + parts; ++row) {  // no part is empty
      y.push_back(normal(random));
      weight.push_back(std::exp(normal(random)));
      part_of.push_back(static_cast<std::uint32_t>(row < parts ? row : random() % parts));
      group_of.push_back(group_of_part[part_of.back()]);
    }
    const Statistics whole = add_up(group_of, groups, {y, weight, {}, {}});
    const Statistics some = add_up(part_of, parts, {y, weight, {}, {}});
    const Statistics added =
        add_up(group_of_part, groups, {some.mean, some.weight, some.scatter, some.rows});
    const auto alike = [](std::span<const double> a, std::span<const double> b) {
      return std::ranges::equal(
          a, b, [](double p, double q) { return std::abs(p - q) <= 1e-12 * (1 + std::abs(p)); });
    };
    check(whole.rows == added.rows && alike(whole.weight, added.weight) &&
              alike(whole.mean, added.mean) && alike(whole.scatter, added.scatter),
          "the sums of parts are the sums of their rows", seed);

    std::vector<double> w(groups, 0), s(groups, 0), q(groups, 0);
    for (std::size_t row = 0; row < y.size(); ++row) {
      w[group_of[row]] += weight[row];
      s[group_of[row]] += weight[row] * y[row];
      q[group_of[row]] += weight[row] * y[row] * y[row];
    }
    for (std::size_t group = 0; group < groups; ++group) {
      s[group] /= w[group];
      q[group] -= w[group] * s[group] * s[group];
    }
    check(alike(whole.weight, w) && alike(whole.mean, s) && alike(whole.scatter, q),
          "weight, mean and scatter", seed);

    std::vector<std::size_t> order(y.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    const auto shuffle = [&](auto values) {
      auto result = values;
      for (std::size_t k = 0; k < order.size(); ++k) result[k] = values[order[k]];
      return result;
    };
    const std::vector<double> y2 = shuffle(y), weight2 = shuffle(weight);
    const Statistics again = add_up(shuffle(group_of), groups, {y2, weight2, {}, {}});
    check(
        again.mean == whole.mean && again.scatter == whole.scatter && again.weight == whole.weight,
        "the order of the parts leaves no trace in the sums", seed);
  }
}

bool same_cuts(const std::vector<Cut>& a, const std::vector<Cut>& b) {
  return std::ranges::equal(a, b, [](const Cut& p, const Cut& q) {
    return p.column == q.column && p.code == q.code && p.gain == q.gain;
  });
}

// A table for the greedy trees: ordered columns and categories.
struct CutTable {
  std::vector<std::vector<std::uint16_t>> codes;
  std::vector<std::uint32_t> sizes;
  std::vector<double> target, weight;

  std::vector<CodedColumn> columns() const {
    std::vector<CodedColumn> result;
    for (std::size_t k = 0; k < codes.size(); ++k)
      result.push_back({codes[k], sizes[k], k % 3 != 2});
    return result;
  }
  // The drop of the sum of squares when `is_left` parts all rows.
  template <typename IsLeft>
  double gain(const IsLeft& is_left) const {
    long double w[2] = {0, 0}, s[2] = {0, 0};
    for (std::size_t row = 0; row < target.size(); ++row) {
      w[is_left(row)] += weight[row];
      s[is_left(row)] += weight[row] * target[row];
    }
    if (w[0] == 0 || w[1] == 0) return 0;
    const long double contrast = s[0] / w[0] - s[1] / w[1];
    return static_cast<double>(contrast * contrast * w[0] * w[1] / (w[0] + w[1]));
  }
};

CutTable random_cut_table(std::mt19937& random) {
  std::normal_distribution<double> normal;
  CutTable table;
  const std::size_t rows = 1 + random() % 500;
  for (std::size_t k = 0; k < 1 + random() % 6; ++k) {
    table.sizes.push_back(random() % 4 == 0 ? 65'536 : 1 + random() % 40);
    table.codes.emplace_back();
    for (std::size_t row = 0; row < rows; ++row) {
      table.codes[k].push_back(static_cast<std::uint16_t>(random() % table.sizes[k]));
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    table.target.push_back(normal(random) + (table.codes[0][row] * 3 > table.sizes[0] ? 2 : 0));
    table.weight.push_back(std::exp(normal(random)));
  }
  return table;
}

void test_cuts() {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const CutTable table = random_cut_table(random);
    const std::vector<CodedColumn> columns = table.columns();
    const std::vector<Cut> greedy = greedy_cuts(columns, table.target, table.weight, 16);
    const std::vector<Cut> boosted = boosted_cuts(columns, table.target, table.weight, 5, 4, 0.3);

    CutTable shuffled = table;
    std::vector<std::size_t> order(table.target.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t row = 0; row < order.size(); ++row) {
      shuffled.target[row] = table.target[order[row]];
      shuffled.weight[row] = table.weight[order[row]];
      for (std::size_t k = 0; k < columns.size(); ++k) {
        shuffled.codes[k][row] = table.codes[k][order[row]];
      }
    }
    const std::vector<CodedColumn> turned = shuffled.columns();
    check(same_cuts(greedy, greedy_cuts(turned, shuffled.target, shuffled.weight, 16)) &&
              same_cuts(boosted, boosted_cuts(turned, shuffled.target, shuffled.weight, 5, 4, 0.3)),
          "the order of the rows leaves no trace in the cuts", seed);

    // The first cut is the best there is; more leaves only add cuts.
    double best = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (std::uint32_t code = 0; code < std::min(columns[k].size, 40U); ++code) {
        best = std::max(best, table.gain([&](std::size_t row) {
          return columns[k].ordered ? table.codes[k][row] <= code : table.codes[k][row] == code;
        }));
      }
    }
    const std::vector<Cut> stump = greedy_cuts(columns, table.target, table.weight, 2);
    check(stump.size() <= 1 && (stump.empty() ? best < 1e-9 : stump[0].gain >= best * (1 - 1e-9)),
          "no cut gains more than the first", seed);
    check(same_cuts(stump, boosted_cuts(columns, table.target, table.weight, 1, 2, 0.3)),
          "one round of boosting is a greedy tree", seed);
    bool prefix = greedy.size() >= stump.size() && greedy.size() <= 15;
    for (std::size_t k = 0; prefix && k < stump.size(); ++k) {
      prefix = greedy[k].column == stump[k].column && greedy[k].code == stump[k].code;
    }
    check(prefix, "a larger tree starts as the smaller", seed);
    check(std::ranges::is_sorted(boosted, std::greater<>{}, &Cut::gain), "best cuts first", seed);
  }
}

void test_known_cuts() {
  const std::vector<double> y{0, 0, 0, 6, 6, 9};
  const std::vector<std::uint16_t> noise{1, 0, 1, 0, 1, 0}, step{0, 0, 1, 3, 3, 4};
  const std::vector<CodedColumn> ordered{{noise, 2, true}, {step, 5, true}};
  const std::vector<Cut> greedy = greedy_cuts(ordered, y, {}, 16);
  check(greedy.size() == 2 && greedy[0].column == 1 && greedy[0].code == 1 &&
            std::abs(greedy[0].gain - 73.5) < 1e-9 && greedy[1].column == 1 &&
            greedy[1].code == 3 && std::abs(greedy[1].gain - 6) < 1e-9,
        "the cuts of a step function", 0);
  const std::vector<double> heavy{1, 1, 1, 1, 1, 100};
  const std::vector<Cut> weighted = greedy_cuts(ordered, y, heavy, 2);
  check(weighted.size() == 1 && weighted[0].column == 1 && weighted[0].code == 1,
        "a heavy row counts as many", 0);

  const std::vector<CodedColumn> levels{{step, 5, false}};
  const std::vector<Cut> level = greedy_cuts(levels, y, {}, 2);
  check(level.size() == 1 && level[0].code == 0 && std::abs(level[0].gain - 36.75) < 1e-9,
        "a level against the rest", 0);

  const std::vector<double> flat(6, 3.5);
  check(greedy_cuts(ordered, flat, {}, 16).empty(), "a constant target has no cuts", 0);
  check(boosted_cuts(ordered, flat, {}, 5, 4, 0.3).empty(), "nor have residuals of zero", 0);
  check(greedy_cuts(ordered, y, {}, 1).empty(), "one leaf has no cut", 0);
  check(greedy_cuts({}, y, {}, 16).empty(), "no columns have no cuts", 0);
  check(greedy_cuts({}, {}, {}, 16).empty(), "no rows have no cuts", 0);
  const std::vector<double> far{1e9, 1e9, 1e9, 1e9 + 6, 1e9 + 6, 1e9 + 9};
  check(same_cuts(greedy, greedy_cuts(ordered, far, {}, 16)), "the origin does not matter", 0);
}

}  // namespace

int main() {
  test_against_brute_force();
  test_many_features();
  test_interruption();
  test_kmeans();
  test_row_order();
  test_distinct_levels();
  test_bins();
  test_grouping();
  test_sums();
  test_cuts();
  test_known_cuts();
  std::printf("%d passed, %d failed\n", checks - failures, failures);
  return failures == 0 ? 0 : 1;
}
