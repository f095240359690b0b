#include "sample.hpp"

#include <algorithm>
#include <random>

using namespace optitree;

namespace {

void set(Sample& sample, std::size_t row, std::size_t f) {
  sample.bits[row * sample.words + f / 64] |= std::uint64_t{1} << (f % 64);
}

}  // namespace

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
  enum { kIndependent, kMoreIndependent, kThresholds, kLevels };
  const std::size_t kind = below(4);
  const bool row_weights = below(2) == 0;
  const std::size_t half = sample.features / 2;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t value[] = {below(half + 1), below(sample.features - half + 1)};
    for (std::size_t f = 0; f < sample.features; ++f) {
      const std::size_t of_column = f < half ? value[0] : value[1];
      const std::size_t at = f < half ? f : f - half;
      const bool holds = kind == kThresholds ? of_column <= at
                         : kind == kLevels   ? of_column == at
                                             : below(density) == 0;
      if (holds) set(sample, row, f);
    }
    sample.target.push_back(ties ? static_cast<double>(below(3)) : normal(random));
    sample.weight.push_back(row_weights ? 1 : static_cast<double>(1 + below(3)));
  }
  const double lambdas[] = {0, 0.001, 0.01, 0.05, 0.2};
  const Depth depths[] = {0, 1, 2, 3, 4, kNoDepthLimit, kNoDepthLimit};
  sample.restrictions = {lambdas[below(5)], depths[below(7)], static_cast<double>(1 + below(2))};
  return sample;
}

Sample noise(unsigned seed, std::size_t rows, std::size_t features) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Sample sample{features, (features + 63) / 64, {}, {}, {}, {1e-4}};
  sample.bits.assign(rows * sample.words, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t f = 0; f < features; ++f) {
      if (random() % 2 == 0) set(sample, row, f);
    }
    sample.target.push_back(normal(random));
    sample.weight.push_back(1);
  }
  return sample;
}

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

Groups::Groups(const Sample& sample) : features(sample.features) {
  const std::size_t rows = sample.target.size();
  std::vector<std::vector<std::uint32_t>> codes(features, std::vector<std::uint32_t>(rows));
  std::vector<BinnedColumn> columns;
  for (std::size_t f = 0; f < features; ++f) {
    for (std::size_t row = 0; row < rows; ++row) codes[f][row] = sample.holds(row, f);
    columns.push_back({codes[f], 2});
  }
  const Partition partition = group_rows(columns, rows);
  for (const std::uint64_t row : partition.first) {
    const auto begin = sample.bits.begin() + static_cast<std::ptrdiff_t>(row * sample.words);
    bits.insert(bits.end(), begin, begin + static_cast<std::ptrdiff_t>(sample.words));
  }
  point_group = partition.group_of;
  value = sample.target;
  weight = sample.weight;
  sums = add_up(partition.group_of, partition.first.size(), {sample.target, sample.weight, {}, {}});
}

Task task_of(const Sample& sample, const Groups& groups) {
  return {groups.view(), sample.restrictions, sample.loss};
}

Problem problem_of(const Sample& sample, const Groups& groups) {
  return make_problem(groups.view(), sample.restrictions, *sample.loss);
}

Solution solve_sample(const Sample& sample, const Options& options, std::size_t threads,
                      const Limits& limits, const Monitor& monitor) {
  const Groups groups(sample);
  Task task = task_of(sample, groups);
  task.limits = limits;
  task.options = options;
  task.threads = threads;
  task.monitor = monitor;
  return solve(task);
}

bool same_tree(const Solution& a, const Solution& b) {
  const auto same = [](const TreeNode& x, const TreeNode& y) {
    return x.feature == y.feature && x.yes == y.yes && x.no == y.no && x.value == y.value;
  };
  return a.objective == b.objective && std::ranges::equal(a.tree.nodes, b.tree.nodes, same);
}
