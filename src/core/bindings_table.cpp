// Python's side of what happens to a table before the search: binning, thresholds, grouping.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "bindings.hpp"
#include "common/lookout.hpp"
#include "table/binning.hpp"
#include "table/greedy_splits.hpp"
#include "table/grouping.hpp"
#include "table/sorting.hpp"

namespace optitree {

namespace {

template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ShortCodes = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
template <typename T>
using Writable = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Hands a vector over to numpy without copying it.
template <typename T>
nb::ndarray<nb::numpy, T> give(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

template <typename T>
nb::ndarray<nb::numpy, T> give(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return give(std::move(values), {size});
}

// Long work asks Python for signals now and then: Ctrl-C is raised from the middle of it.
Lookout for_signals() {
  return Lookout([] {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  });
}

nb::tuple distinct(const Doubles& values) {
  DistinctValues found;
  {
    const nb::gil_scoped_release unlocked;
    found = distinct_values(view(values), for_signals());
  }
  return nb::make_tuple(give(std::move(found.values)), give(std::move(found.codes)),
                        give(std::move(found.counts)));
}

// Columns come as the rows of a matrix, or as a list of arrays.
using Columns = std::variant<Matrix<double>, Matrix<std::uint8_t>, std::vector<Array>>;

template <typename T>
void read(const Matrix<T>& matrix, std::vector<TableColumn>& table) {
  for (std::size_t k = 0; k < matrix.shape(0); ++k) {
    table.push_back(std::span<const T>{matrix.data() + k * matrix.shape(1), matrix.shape(1)});
  }
}
void read(const std::vector<Array>& columns, std::vector<TableColumn>& table) {
  for (const Array& column : columns) {
    table.emplace_back();  // stays empty if it is of another type, and must then have no condition
    const void* data = column.data();
    if (column.dtype() == nb::dtype<double>()) {
      table.back() = std::span{static_cast<const double*>(data), column.size()};
    } else if (column.dtype() == nb::dtype<std::uint32_t>()) {
      table.back() = std::span{static_cast<const std::uint32_t*>(data), column.size()};
    }
  }
}
std::vector<TableColumn> table_columns(const Columns& columns) {
  std::vector<TableColumn> table;
  std::visit([&](const auto& given) { read(given, table); }, columns);
  return table;
}

// Finds the type of an array among those of a variant of pointers.
template <typename... T>
bool read(const AnyArray& array, std::variant<const T*...>& data) {
  return ((array.dtype() == nb::dtype<T>() && (data = static_cast<const T*>(array.data()), true)) ||
          ...);
}

// Fills the rows of an array with the columns of a matrix. False if they do not fit its type.
template <typename To>
bool copy(const AnyArray& matrix, const Writable<To>& columns) {
  AnyMatrix any{{}, matrix.shape(0), matrix.shape(1), matrix.stride(0), matrix.stride(1)};
  if (columns.shape(0) != any.columns || columns.shape(1) != any.rows) {
    throw nb::value_error("one row for each column");
  }
  if (!read(matrix, any.data)) throw nb::value_error("a type of numbers that is not known here");
  const nb::gil_scoped_release unlocked;
  return copy_columns(any, columns.data(), for_signals());
}

bool infinity(const Columns& columns) {
  const nb::gil_scoped_release unlocked;
  Lookout lookout = for_signals();
  return std::ranges::any_of(table_columns(columns), [&](const TableColumn& column) {
    const auto* values = std::get_if<std::span<const double>>(&column);
    lookout.spend(values == nullptr ? 0 : values->size());
    return values != nullptr && has_infinity(*values);
  });
}

// For each column its values and whether some are missing; None where it has many values.
nb::list few(const Columns& columns) {
  std::vector<std::optional<FewValues>> found;
  {
    const nb::gil_scoped_release unlocked;
    Lookout lookout = for_signals();
    for (const TableColumn& column : table_columns(columns)) {
      lookout.spend(std::visit([](const auto values) { return values.size(); }, column));
      const auto* bytes = std::get_if<std::span<const std::uint8_t>>(&column);
      found.push_back(bytes ? few_values(*bytes)
                            : few_values(std::get<std::span<const double>>(column)));
    }
  }
  nb::list result;
  for (const std::optional<FewValues>& column : found) {
    if (column) result.append(nb::make_tuple(column->values, column->has_missing));
    else result.append(nb::none());
  }
  return result;
}

nb::tuple ranges(const Doubles& values, const Doubles& thresholds) {
  BinRanges found;
  {
    const nb::gil_scoped_release unlocked;
    found = bin_ranges(view(values), view(thresholds), for_signals());
  }
  return nb::make_tuple(give(std::move(found.low)), give(std::move(found.high)));
}

nb::tuple group_codes(const std::vector<Codes>& columns, std::size_t rows) {
  std::vector<BinnedColumn> coded;
  for (const Codes& column : columns) {
    if (column.size() != rows) throw nb::value_error("one code per row");
    coded.push_back(
        {view(column), rows == 0 ? 1 : std::uint64_t{std::ranges::max(view(column))} + 1});
  }
  Partition partition;
  std::vector<std::uint32_t> codes;
  {
    const nb::gil_scoped_release unlocked;
    partition = group_rows(coded, rows, for_signals());
    codes = codes_of(coded, partition.first, for_signals());
  }
  const std::size_t groups = partition.first.size();
  return nb::make_tuple(give(std::move(partition.group_of)),
                        give(std::move(codes), {groups, columns.size()}));
}

nb::tuple group(const Columns& columns,
                const std::vector<std::tuple<std::size_t, std::size_t, double, double>>& ends,
                std::size_t conditions, std::size_t rows) {
  const std::vector<TableColumn> table = table_columns(columns);
  std::vector<Interval> intervals;
  for (const auto& [condition, column, low, high] : ends) {
    if (condition >= conditions) throw nb::value_error("an interval must belong to a condition");
    if (column >= table.size() ||
        std::visit([](const auto values) { return values.size(); }, table[column]) != rows) {
      throw nb::value_error("a condition must be about a column with one value or code per row");
    }
    intervals.push_back({condition, column, low, high});
  }
  GroupedTable grouped;
  {
    const nb::gil_scoped_release unlocked;
    grouped = group_table(table, intervals, conditions, rows, for_signals());
  }
  const std::size_t groups = grouped.partition.first.size();
  const std::size_t width = groups == 0 ? 0 : grouped.codes.size() / groups;
  return nb::make_tuple(give(std::move(grouped.partition.group_of)),
                        give(std::move(grouped.codes), {groups, width}),
                        give(std::move(grouped.bits), {groups, (conditions + 63) / 64}));
}

std::span<const double> view_or_none(const std::optional<Doubles>& array, std::size_t size) {
  if (!array) return {};
  if (array->size() != size) throw nb::value_error("one value per row");
  return view(*array);
}

nb::tuple sums(const Codes& group_of, std::size_t groups, const Doubles& mean,
               const std::optional<Doubles>& weight, const std::optional<Doubles>& scatter,
               const std::optional<Doubles>& rows) {
  const std::size_t count = group_of.size();
  if (mean.size() != count) throw nb::value_error("one value per row");
  const Parts parts{view(mean), view_or_none(weight, count), view_or_none(scatter, count),
                    view_or_none(rows, count)};
  Statistics statistics;
  {
    const nb::gil_scoped_release unlocked;
    statistics = add_up(view(group_of), groups, parts, for_signals());
  }
  return nb::make_tuple(give(std::move(statistics.weight)), give(std::move(statistics.mean)),
                        give(std::move(statistics.scatter)), give(std::move(statistics.rows)));
}

nb::object order(const Codes& group_of, std::size_t groups, const Doubles& values) {
  if (values.size() != group_of.size() ||
      std::ranges::any_of(view(group_of), [&](std::uint32_t group) { return group >= groups; })) {
    throw nb::value_error("one value and one group per row");
  }
  std::vector<std::uint32_t> rows;
  {
    const nb::gil_scoped_release unlocked;
    rows = order_in_groups(view(group_of), groups, view(values), for_signals());
  }
  return nb::cast(give(std::move(rows)));
}

// Coded columns with a target and weights, kept alive for the splits that trees make of them. A
// column with a pull is a category, one without is ordered.
class CodedTable {
 public:
  CodedTable(std::vector<ShortCodes> codes, const std::vector<std::uint32_t>& sizes,
             const std::vector<std::optional<double>>& pulls, Doubles target,
             std::optional<Doubles> weight)
      : codes_(std::move(codes)), target_(std::move(target)), weight_(std::move(weight)) {
    if (codes_.size() != sizes.size() || codes_.size() != pulls.size()) {
      throw nb::value_error("one size and one pull or none per column");
    }
    for (std::size_t k = 0; k < codes_.size(); ++k) {
      if (codes_[k].size() != target_.size()) throw nb::value_error("one code per row");
      columns_.push_back(
          {{codes_[k].data(), codes_[k].size()}, sizes[k], !pulls[k], pulls[k].value_or(0)});
    }
    weights_ = view_or_none(weight_, target_.size());
  }

  nb::tuple greedy(std::uint32_t max_leaves) const {
    return splits([&] {
      return greedy_splits(columns_, view(target_), weights_, max_leaves, for_signals());
    });
  }
  nb::tuple boosted(std::uint32_t rounds, std::uint32_t leaves, double rate) const {
    return splits([&] {
      const Ensemble ensemble{rounds, leaves, rate};
      return boosted_splits(columns_, view(target_), weights_, ensemble, for_signals());
    });
  }

 private:
  // The columns of the splits that `find` finds, and their codes or the codes of their sets.
  template <typename Find>
  static nb::tuple splits(const Find& find) {
    std::vector<std::uint32_t> column, code;
    std::vector<std::vector<std::uint16_t>> levels;
    {
      const nb::gil_scoped_release unlocked;
      for (const auto& split : find()) {
        column.push_back(split.column);
        code.push_back(split.code);
        levels.push_back(split.levels);
      }
    }
    return nb::make_tuple(column, code, levels);
  }

  std::vector<ShortCodes> codes_;
  Doubles target_;
  std::optional<Doubles> weight_;
  std::vector<CodedColumn> columns_;
  std::span<const double> weights_;
};

}  // namespace

void bind_tables(nb::module_& module) {
  module.def("distinct_values", &distinct, nb::arg("values"));
  module.def("copy_columns", &copy<double>, nb::arg("matrix"), nb::arg("columns").noconvert());
  module.def("copy_columns", &copy<std::uint8_t>, nb::arg("matrix"),
             nb::arg("columns").noconvert());
  module.def("have_infinity", &infinity, nb::arg("columns"));
  module.def("few_values", &few, nb::arg("columns"));
  module.def("bin_ranges", &ranges, nb::arg("values"), nb::arg("thresholds"));
  module.def("group_rows", &group_codes, nb::arg("columns"), nb::arg("rows"));
  module.def("group_table", &group, nb::arg("columns"), nb::arg("intervals"), nb::arg("conditions"),
             nb::arg("rows"));
  module.def("add_up", &sums, nb::arg("group_of"), nb::arg("groups"), nb::arg("mean"),
             nb::arg("weight").none() = nb::none(), nb::arg("scatter").none() = nb::none(),
             nb::arg("rows").none() = nb::none());
  module.def("order_in_groups", &order, nb::arg("group_of"), nb::arg("groups"), nb::arg("values"));
  nb::class_<CodedTable>(module, "CodedTable")
      .def(nb::init<std::vector<ShortCodes>, std::vector<std::uint32_t>,
                    std::vector<std::optional<double>>, Doubles, std::optional<Doubles>>(),
           nb::arg("codes"), nb::arg("sizes"), nb::arg("pulls"), nb::arg("target"),
           nb::arg("weight").none())
      .def("greedy_splits", &CodedTable::greedy, nb::arg("max_leaves"))
      .def("boosted_splits", &CodedTable::boosted, nb::arg("rounds"), nb::arg("leaves"),
           nb::arg("rate"));
}

}  // namespace optitree
