// The one place where Python and C++ meet: contiguous arrays in, a solution out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <optional>

#include "grouping.hpp"
#include "solve.hpp"

namespace nb = nanobind;
using namespace optitree;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const double> view(const Doubles& array) { return {array.data(), array.size()}; }
std::span<const std::uint64_t> view(const Words& array) { return {array.data(), array.size()}; }

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

nb::tuple group(const Words& bits, const Doubles& target, const std::optional<Doubles>& weight) {
  if (bits.shape(0) != target.size() || (weight && weight->size() != target.size())) {
    throw nb::value_error("bits, target and weight must have one entry per row");
  }
  Groups groups;
  const std::size_t words = bits.shape(1);
  {
    const nb::gil_scoped_release unlocked;
    groups = group_rows(
        {view(bits), words, view(target), weight ? view(*weight) : std::span<const double>{}});
  }
  const std::size_t count = groups.weight.size();
  return nb::make_tuple(give(std::move(groups.bits), {count, words}),
                        give(std::move(groups.weight)), give(std::move(groups.mean)),
                        give(std::move(groups.scatter)), give(std::move(groups.rows)));
}

// Calls the Python monitor with the GIL and answers Ctrl-C. KeyboardInterrupt becomes a request to
// stop; any other exception stops the search too and is raised again at the end.
class PythonMonitor {
 public:
  explicit PythonMonitor(nb::object callback) : callback_(std::move(callback)) {}

  bool operator()(const Progress& progress) {
    const nb::gil_scoped_acquire locked;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return callback_.is_none() || nb::cast<bool>(callback_(progress));
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) error_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  nb::object callback_;
  std::exception_ptr error_;
};

Solution run(const Words& bits, const Doubles& weight, const Doubles& mean, const Doubles& scatter,
             const Doubles& rows, std::size_t features, double regularization,
             std::optional<std::uint32_t> max_depth, double min_samples_leaf, double seconds,
             std::size_t bytes, const Options& options, const nb::object& monitor, bool trace) {
  const GroupTable table{view(bits), view(weight), view(mean), view(scatter), view(rows), features};
  const std::size_t count = table.size();
  if (count == 0 || bits.shape(0) != count || bits.shape(1) != table.words() ||
      mean.size() != count || scatter.size() != count || rows.size() != count) {
    throw nb::value_error("there must be a group, and one entry per group in every array");
  }
  const std::uint32_t depth =
      std::min<std::uint32_t>(max_depth.value_or(kNoDepthLimit), kNoDepthLimit);
  const Restrictions restrictions{regularization, static_cast<Depth>(depth), min_samples_leaf};
  PythonMonitor python(monitor);
  Solution solution;
  {
    const nb::gil_scoped_release unlocked;
    solution = solve(table, restrictions, {seconds, bytes}, options, std::ref(python), trace);
  }
  python.rethrow();
  return solution;
}

const char* name(Status status) {
  switch (status) {
    case Status::kTimeLimit: return "time_limit";
    case Status::kMemoryLimit: return "memory_limit";
    case Status::kInterrupted: return "interrupted";
    default: return "optimal";
  }
}

// A field of every node of the tree.
template <typename T>
std::vector<T> field(const Solution& solution, T TreeNode::* member) {
  std::vector<T> values;
  for (const TreeNode& node : solution.tree.nodes) values.push_back(node.*member);
  return values;
}

}  // namespace

NB_MODULE(_core, module) {
  module.def("group_rows", &group, nb::arg("bits"), nb::arg("target"),
             nb::arg("weight").none() = nb::none());

  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def_rw("hierarchical", &Options::hierarchical)
      .def_rw("lookahead", &Options::lookahead)
      .def_rw("leaf_count", &Options::leaf_count)
      .def_rw("pairs", &Options::pairs)
      .def_rw("kmeans", &Options::kmeans)
      .def_rw("subset", &Options::subset)
      .def_rw("cache", &Options::cache)
      .def_rw("subtraction", &Options::subtraction)
      .def_rw("merge_equal_features", &Options::merge_equal_features);

  nb::class_<Progress>(module, "Progress")
      .def_ro("seconds", &Progress::seconds)
      .def_ro("lower_bound", &Progress::lower)
      .def_ro("upper_bound", &Progress::upper)
      .def_ro("solved", &Progress::solved)
      .def_ro("cached", &Progress::cached)
      .def_ro("bytes", &Progress::bytes);

  nb::class_<Solution>(module, "Solution")
      .def_prop_ro("status", [](const Solution& s) { return name(s.status); })
      .def_ro("objective", &Solution::objective)
      .def_ro("lower_bound", &Solution::lower_bound)
      .def_ro("seconds", &Solution::seconds)
      .def_ro("solved", &Solution::solved)
      .def_ro("cached", &Solution::cached)
      .def_ro("bytes", &Solution::bytes)
      .def_ro("trace", &Solution::trace)
      .def_prop_ro("feature", [](const Solution& s) { return field(s, &TreeNode::feature); })
      .def_prop_ro("yes", [](const Solution& s) { return field(s, &TreeNode::yes); })
      .def_prop_ro("no", [](const Solution& s) { return field(s, &TreeNode::no); })
      .def_prop_ro("rows", [](const Solution& s) { return field(s, &TreeNode::rows); })
      .def_prop_ro("weight", [](const Solution& s) { return field(s, &TreeNode::weight); })
      .def_prop_ro("mean", [](const Solution& s) { return field(s, &TreeNode::mean); })
      .def_prop_ro("loss", [](const Solution& s) { return field(s, &TreeNode::loss); });

  module.def("solve", &run, nb::arg("bits"), nb::arg("weight"), nb::arg("mean"), nb::arg("scatter"),
             nb::arg("rows"), nb::arg("features"), nb::kw_only(), nb::arg("regularization"),
             nb::arg("max_depth").none(), nb::arg("min_samples_leaf"), nb::arg("seconds"),
             nb::arg("bytes"), nb::arg("options"), nb::arg("monitor").none() = nb::none(),
             nb::arg("trace") = false);
}
