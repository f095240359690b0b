// From columns to groups: greedy splits, grouping and sums.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "check.hpp"
#include "table/greedy_splits.hpp"
#include "table/grouping.hpp"
#include "values.hpp"

using namespace optitree;

namespace {

// Columns of random codes whose product exceeds 64 bits as soon as there are a few of them.
struct CodeTable {
  std::vector<std::vector<std::uint32_t>> codes;
  std::vector<std::uint64_t> sizes;

  std::vector<BinnedColumn> columns() const {
    std::vector<BinnedColumn> result;
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
  for (unsigned seed = 0; seed < cases(100); ++seed) {
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

// Tables of numbers, some missing, and of codes, and conditions of one or more intervals, often
// more than a word of them.
void test_grouping_of_tables() {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const std::size_t rows = 1 + random() % 1500;
    std::vector<std::vector<double>> values(1 + random() % 6);
    std::vector<std::vector<std::uint32_t>> codes(values.size());
    std::vector<std::vector<std::uint8_t>> bytes(values.size());
    std::vector<TableColumn> columns;
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = random_values(random, rows, 4);
      if (const unsigned kind = random() % 4; kind < 2) {
        for (double& value : values[k]) value = std::isnan(value) ? 9 : random() % 3;
        codes[k].assign(values[k].begin(), values[k].end());
        bytes[k].assign(values[k].begin(), values[k].end());
        if (kind == 0) columns.emplace_back(codes[k]);
        else columns.emplace_back(bytes[k]);
      } else {
        columns.emplace_back(values[k]);
      }
    }
    std::vector<Interval> intervals;
    const std::size_t conditions = random() % 90;
    for (std::size_t k = 0; k < conditions; ++k) {
      const std::size_t column = random() % values.size();
      for (unsigned more = 1 + random() % 3; more > 0; --more) {
        const double low = static_cast<int>(random() % 9) / 4.0 - 1;
        const Interval kinds[] = {{k, column, -kInfinity, low},
                                  {k, column, low, kInfinity},
                                  {k, column, low, low + 0.5},
                                  {k, column, kNan, kNan}};
        intervals.push_back(kinds[random() % 4]);
      }
    }
    const GroupedTable table = group_table(columns, intervals, conditions, rows);
    const std::size_t words = (conditions + 63) / 64;
    const std::size_t groups = table.partition.first.size();
    std::map<std::vector<std::uint32_t>, std::uint32_t> groups_of_codes;
    const std::size_t width = table.codes.size() / groups;
    for (std::uint32_t group = 0; group < groups; ++group) {
      groups_of_codes.try_emplace(
          {table.codes.begin() + group * width, table.codes.begin() + (group + 1) * width}, group);
    }
    check(groups_of_codes.size() == groups, "groups differ in their codes", seed);
    bool right = table.bits.size() == groups * words;
    for (std::size_t row = 0; right && row < rows; ++row) {
      std::vector<std::uint64_t> expected(words, 0);
      for (const auto& [condition, column, low, high] : intervals) {
        const double x = values[column][row];
        const bool holds = std::isnan(high) ? std::isnan(x) : low < x && x <= high;
        expected[condition / 64] |= std::uint64_t{holds} << (condition % 64);
      }
      const std::uint32_t group = table.partition.group_of[row];
      right = std::equal(expected.begin(), expected.end(), table.bits.begin() + group * words);
    }
    check(right, "rows answer as their groups do", seed);
  }
}

void test_sums() {
  for (unsigned seed = 0; seed < cases(60); ++seed) {
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

bool same_splits(const std::vector<ProposedSplit>& a, const std::vector<ProposedSplit>& b) {
  return std::ranges::equal(a, b, [](const ProposedSplit& p, const ProposedSplit& q) {
    return p.column == q.column && p.code == q.code && p.gain == q.gain && p.levels == q.levels;
  });
}

// A table for the greedy trees: ordered columns and categories.
struct SplitTable {
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

SplitTable random_split_table(std::mt19937& random) {
  std::normal_distribution<double> normal;
  SplitTable table;
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

void test_splits() {
  for (unsigned seed = 0; seed < cases(100); ++seed) {
    std::mt19937 random(seed);
    const SplitTable table = random_split_table(random);
    const std::vector<CodedColumn> columns = table.columns();
    const std::vector<ProposedSplit> greedy =
        greedy_splits(columns, table.target, table.weight, 16);
    const std::vector<ProposedSplit> boosted =
        boosted_splits(columns, table.target, table.weight, {5, 4, 0.3});

    SplitTable shuffled = table;
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
    check(same_splits(greedy, greedy_splits(turned, shuffled.target, shuffled.weight, 16)) &&
              same_splits(boosted,
                          boosted_splits(turned, shuffled.target, shuffled.weight, {5, 4, 0.3})),
          "the order of the rows leaves no trace in the splits", seed);

    // The first split is the best there is; more leaves only add splits.
    double best = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (std::uint32_t code = 0; code < std::min(columns[k].size, 40U); ++code) {
        best = std::max(best, table.gain([&](std::size_t row) {
          const std::uint32_t own = table.codes[k][row];
          return columns[k].ordered ? own <= code : own == code;  // sets gain as much at least
        }));
      }
    }
    const std::vector<ProposedSplit> stump = greedy_splits(columns, table.target, table.weight, 2);
    check(stump.size() <= 1 && (stump.empty() ? best < 1e-9 : stump[0].gain >= best * (1 - 1e-9)),
          "no split gains more than the first", seed);
    check(same_splits(stump, boosted_splits(columns, table.target, table.weight, {1, 2, 0.3})),
          "one round of boosting is a greedy tree", seed);
    bool prefix = greedy.size() >= stump.size() && greedy.size() <= 15;
    for (std::size_t k = 0; prefix && k < stump.size(); ++k) {
      prefix = greedy[k].column == stump[k].column && greedy[k].code == stump[k].code &&
               greedy[k].levels == stump[k].levels;
    }
    check(prefix, "a larger tree starts as the smaller", seed);
    check(std::ranges::is_sorted(boosted, std::greater<>{}, &ProposedSplit::gain),
          "best splits first", seed);
  }
}

void test_known_splits() {
  const std::vector<double> y{0, 0, 0, 6, 6, 9};
  const std::vector<std::uint16_t> noise{1, 0, 1, 0, 1, 0}, step{0, 0, 1, 3, 3, 4};
  const std::vector<CodedColumn> ordered{{noise, 2, true}, {step, 5, true}};
  const std::vector<ProposedSplit> greedy = greedy_splits(ordered, y, {}, 16);
  check(greedy.size() == 2 && greedy[0].column == 1 && greedy[0].code == 1 &&
            std::abs(greedy[0].gain - 73.5) < 1e-9 && greedy[1].column == 1 &&
            greedy[1].code == 3 && std::abs(greedy[1].gain - 6) < 1e-9,
        "the splits of a step function", 0);
  const std::vector<double> heavy{1, 1, 1, 1, 1, 100};
  const std::vector<ProposedSplit> weighted = greedy_splits(ordered, y, heavy, 2);
  check(weighted.size() == 1 && weighted[0].column == 1 && weighted[0].code == 1,
        "a heavy row counts as many", 0);

  const std::vector<CodedColumn> levels{{step, 6, false}};
  const std::vector<ProposedSplit> set = greedy_splits(levels, y, {}, 2);
  check(set.size() == 1 && set[0].levels == std::vector<std::uint16_t>{0, 1} &&
            std::abs(set[0].gain - 73.5) < 1e-9,
        "a set of levels against the rest", 0);
  const std::vector<CodedColumn> gaps{{step, 5, false}};  // the last level is missing
  check(greedy_splits(gaps, y, {}, 2)[0].levels == std::vector<std::uint16_t>{0, 1},
        "what is missing is on the other side", 0);

  const std::vector<double> flat(6, 3.5);
  check(greedy_splits(ordered, flat, {}, 16).empty(), "a constant target has no splits", 0);
  check(boosted_splits(ordered, flat, {}, {5, 4, 0.3}).empty(), "nor have residuals of zero", 0);
  check(greedy_splits(ordered, y, {}, 1).empty(), "one leaf has no split", 0);
  check(greedy_splits({}, y, {}, 16).empty(), "no columns have no splits", 0);
  check(greedy_splits({}, {}, {}, 16).empty(), "no rows have no splits", 0);
  const std::vector<double> far{1e9, 1e9, 1e9, 1e9 + 6, 1e9 + 6, 1e9 + 9};
  check(same_splits(greedy, greedy_splits(ordered, far, {}, 16)), "the origin does not matter", 0);
}

// Codes that do not occur change nothing but the room that is taken for them: columns are then
// counted one by one.
void test_splits_of_many_codes() {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr std::size_t kRows = 300'000;
  std::vector<std::vector<std::uint16_t>> codes(4, std::vector<std::uint16_t>(kRows));
  std::vector<double> y(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (auto& column : codes) column[row] = static_cast<std::uint16_t>(random() % 50);
    y[row] = codes[0][row] + 2.0 * codes[2][row] + (codes[3][row] > 20 ? 9 : 0) + normal(random);
  }
  std::vector<CodedColumn> narrow, wide;
  for (const auto& column : codes) {
    narrow.push_back({column, 50, true});
    wide.push_back({column, 65'536, true});
  }
  check(same_splits(greedy_splits(narrow, y, {}, 16), greedy_splits(wide, y, {}, 16)),
        "a greedy tree does not see codes that do not occur", 0);
  check(same_splits(boosted_splits(narrow, y, {}, {5, 4, 0.3}),
                    boosted_splits(wide, y, {}, {5, 4, 0.3})),
        "nor does an ensemble", 0);
}

}  // namespace

void test_tables() {
  test_columns();
  test_level_sets();
  test_lookouts();
  test_grouping();
  test_grouping_of_tables();
  test_sums();
  test_splits();
  test_known_splits();
  test_splits_of_many_codes();
}
