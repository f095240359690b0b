// The one place where Python and C++ meet: contiguous arrays in, a solution out.
#include "bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "answers/path.hpp"
#include "answers/solve.hpp"

using namespace optitree;

namespace {

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

// The group, the value and the weight of every point.
using Points = std::tuple<Codes, Doubles, Doubles>;

void read_points(const std::optional<Points>& points, GroupTable& table) {
  if (!points) throw nb::value_error("this loss needs points");
  const auto& [group, value, weight] = *points;
  table.point_group = view(group);
  table.point_value = view(value);
  table.point_weight = view(weight);
  std::vector<bool> has_points(table.size(), false);
  for (const std::uint32_t g : table.point_group) {
    if (g < has_points.size()) has_points[g] = true;
    else throw nb::value_error("a point has no such group");
  }
  if (value.size() != group.size() || weight.size() != group.size() ||
      std::ranges::find(has_points, false) != has_points.end()) {
    throw nb::value_error("every group must have points, with a value and a weight each");
  }
}

// All that a search is given. The arrays are kept alive here.
struct Task {
  Words bits;
  Doubles weight, mean, scatter, rows;
  std::optional<Points> points;
  GroupTable table;
  Restrictions restrictions;
  Limits limits;
  std::size_t threads;
  Options options;
  nb::object monitor;
};

void make_task(Task* task, const Words& bits, const Doubles& weight, const Doubles& mean,
               const Doubles& scatter, const Doubles& rows, std::size_t features,
               double regularization, std::optional<std::uint32_t> max_depth,
               std::optional<std::uint32_t> max_leaves, double min_samples_leaf,
               std::tuple<double, double> rates, const std::optional<Points>& points,
               double seconds, std::size_t bytes, std::size_t threads, const Options& options,
               const nb::object& monitor) {
  GroupTable table{view(bits), view(weight), view(mean), view(scatter), view(rows), features};
  const std::size_t count = table.size();
  if (count == 0 || bits.shape(0) != count || bits.shape(1) != table.words() ||
      mean.size() != count || scatter.size() != count || rows.size() != count) {
    throw nb::value_error("there must be a group, and one entry per group in every array");
  }
  const Loss loss{std::get<0>(rates), std::get<1>(rates)};
  if (!loss.squared()) read_points(points, table);
  const std::uint32_t depth =
      std::min<std::uint32_t>(max_depth.value_or(kNoDepthLimit), kNoDepthLimit);
  const Restrictions restrictions{regularization, static_cast<Depth>(depth), min_samples_leaf,
                                  std::max(max_leaves.value_or(kNoLeafLimit), 1U), loss};
  new (task)
      Task{bits,    weight, mean,         scatter,          rows,
           points,  table,  restrictions, {seconds, bytes}, std::max<std::size_t>(threads, 1),
           options, monitor};
}

// Calls `function` with the monitor of the task, without the GIL.
template <typename Function>
auto run(const Task& task, const Function& function) {
  PythonMonitor python(task.monitor);
  const auto answer = [&] {
    const nb::gil_scoped_release unlocked;
    return function(std::ref(python));
  }();
  python.rethrow();
  return answer;
}

Solution run_solve(const Task& task, bool trace, double within, std::size_t max_trees) {
  return run(task, [&](const Monitor& monitor) {
    return solve(task.table, task.restrictions, task.limits, task.options, monitor, trace,
                 task.threads, {within, max_trees});
  });
}

Path run_path(const Task& task) {
  return run(task, [&](const Monitor& monitor) {
    return solve_path(task.table, task.restrictions, task.limits, task.options, monitor,
                      task.threads);
  });
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
std::vector<T> field(const Tree& tree, T TreeNode::* member) {
  std::vector<T> values;
  for (const TreeNode& node : tree.nodes) values.push_back(node.*member);
  return values;
}

}  // namespace

NB_MODULE(_core, module) {
  bind_tables(module);

  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def_rw("hierarchical", &Options::hierarchical)
      .def_rw("lookahead", &Options::lookahead)
      .def_rw("leaf_count", &Options::leaf_count)
      .def_rw("pairs", &Options::pairs)
      .def_rw("kmeans", &Options::kmeans)
      .def_rw("prices", &Options::prices)
      .def_rw("eager", &Options::eager)
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
      .def_ro("tree", &Solution::tree)
      .def_ro("near", &Solution::near);

  nb::class_<NearTree>(module, "NearTree")
      .def_ro("tree", &NearTree::tree)
      .def_ro("objective", &NearTree::objective);

  nb::class_<NearOptimal>(module, "NearOptimal")
      .def_prop_ro("status", [](const NearOptimal& near) { return name(near.status); })
      .def_ro("trees", &NearOptimal::trees)
      .def_ro("lower_bound", &NearOptimal::lower_bound)
      .def_ro("more", &NearOptimal::more);

  nb::class_<Tree>(module, "Tree")
      .def_prop_ro("feature", [](const Tree& tree) { return field(tree, &TreeNode::feature); })
      .def_prop_ro("yes", [](const Tree& tree) { return field(tree, &TreeNode::yes); })
      .def_prop_ro("no", [](const Tree& tree) { return field(tree, &TreeNode::no); })
      .def_prop_ro("rows", [](const Tree& tree) { return field(tree, &TreeNode::rows); })
      .def_prop_ro("weight", [](const Tree& tree) { return field(tree, &TreeNode::weight); })
      .def_prop_ro("value", [](const Tree& tree) { return field(tree, &TreeNode::value); })
      .def_prop_ro("loss", [](const Tree& tree) { return field(tree, &TreeNode::loss); });

  nb::class_<Step>(module, "Step")
      .def_ro("tree", &Step::tree)
      .def_ro("loss", &Step::loss)
      .def_ro("low", &Step::low)
      .def_ro("high", &Step::high);

  nb::class_<Path>(module, "Path")
      .def_prop_ro("status", [](const Path& path) { return name(path.status); })
      .def_ro("steps", &Path::steps)
      .def_ro("seconds", &Path::seconds)
      .def_ro("solved", &Path::solved)
      .def_ro("cached", &Path::cached)
      .def_ro("bytes", &Path::bytes);

  nb::class_<Task>(module, "Task")
      .def("__init__", &make_task, nb::arg("bits"), nb::arg("weight"), nb::arg("mean"),
           nb::arg("scatter"), nb::arg("rows"), nb::arg("features"), nb::kw_only(),
           nb::arg("regularization"), nb::arg("max_depth").none(), nb::arg("max_leaves").none(),
           nb::arg("min_samples_leaf"), nb::arg("rates"), nb::arg("points").none(),
           nb::arg("seconds"), nb::arg("bytes"), nb::arg("threads"), nb::arg("options"),
           nb::arg("monitor").none() = nb::none());
  module.def("solve", &run_solve, nb::arg("task"), nb::arg("trace") = false,
             nb::arg("within") = 0.0, nb::arg("max_trees") = 0);
  module.def("solve_path", &run_path, nb::arg("task"));
}
