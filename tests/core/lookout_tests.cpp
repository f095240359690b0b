// Work on tables looks up now and then, and can be ended in the middle.
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "check.hpp"
#include "common/lookout.hpp"
#include "table/binning.hpp"
#include "table/greedy_splits.hpp"
#include "table/grouping.hpp"
#include "table/sorting.hpp"

using namespace optitree;

namespace {

struct Ended {};

// Whether work of more than a few milliseconds looks up, and ends when it is told to.
template <typename Work>
void check_ends(const char* what, const Work& work) {
  int looks = 0;
  work(Lookout([&] { ++looks; }, Lookout::Pause(0)));
  check(looks > 1, what, 0);
  bool ended = false;
  try {
    work(Lookout([] { throw Ended(); }, Lookout::Pause(0)));
  } catch (const Ended&) {
    ended = true;
  }
  check(ended, what, 1);
}

}  // namespace

void test_lookouts() {
  constexpr std::size_t kRows = 400'000, kColumns = 8;
  std::mt19937 random(3);
  std::vector<double> matrix(kRows * kColumns);
  for (double& value : matrix) value = static_cast<double>(random());
  const std::span<const double> values(matrix.data(), kRows);
  std::vector<std::uint32_t> group_of(kRows);
  std::vector<std::uint16_t> codes(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    group_of[row] = random() % 1000;
    codes[row] = static_cast<std::uint16_t>(group_of[row]);
  }
  const std::vector<double> few(group_of.begin(), group_of.end()), thresholds{1e9, 2e9, 3e9};
  const std::vector<CodedColumn> coded(kColumns, {codes, 1000, true});
  const std::vector<TableColumn> table(kColumns, values);
  std::vector<Interval> intervals;
  for (std::size_t k = 0; k < kColumns; ++k) intervals.push_back({k, k, 0, 1e9});

  check_ends("copying", [&](Lookout lookout) {
    std::vector<double> copied(matrix.size());
    copy_columns({matrix.data(), kRows, kColumns, kColumns, 1}, copied.data(), lookout);
  });
  check_ends("many values", [&](Lookout lookout) { distinct_values(values, lookout); });
  check_ends("few values", [&](Lookout lookout) { distinct_values(few, lookout); });
  check_ends("ranges", [&](Lookout lookout) { bin_ranges(values, thresholds, lookout); });
  check_ends("sorting", [&](Lookout lookout) { order_in_groups(group_of, 1000, values, lookout); });
  check_ends("splits", [&](Lookout lookout) { greedy_splits(coded, values, {}, 16, lookout); });
  check_ends("an ensemble",
             [&](Lookout lookout) { boosted_splits(coded, values, {}, {2, 4, 0.3}, lookout); });
  check_ends("grouping",
             [&](Lookout lookout) { group_table(table, intervals, kColumns, kRows, lookout); });
  std::vector<BinnedColumn> binned(kColumns, {std::span<const std::uint32_t>(group_of), 1000});
  std::vector<std::uint64_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  check_ends("codes", [&](Lookout lookout) { codes_of(binned, rows, lookout); });
  check_ends("sums",
             [&](Lookout lookout) { add_up(group_of, 1000, {values, {}, {}, {}}, lookout); });
  int looks = 0;
  Lookout patient([&] { ++looks; }, std::chrono::hours(1));
  patient.spend(std::size_t{1} << 40);
  check(looks == 0, "nobody looks up from short work", 0);
}
