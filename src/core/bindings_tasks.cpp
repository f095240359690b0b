// Python's side of what a search is given, and of running it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "answers/grow.hpp"
#include "answers/hold_prices.hpp"
#include "answers/near_optimal_trees.hpp"
#include "answers/path.hpp"
#include "answers/solve.hpp"
#include "bindings.hpp"
#include "costs/losses.hpp"
#include "search/task.hpp"

namespace optitree {

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

// Weight, mean, scatter and rows of every group.
using Statistics = std::tuple<Doubles, Doubles, Doubles, Doubles>;
// The group, the value and the weight of every point.
using Points = std::tuple<Codes, Doubles, Doubles>;

// The arrays of the groups, kept alive.
struct GroupArrays {
  GroupArrays(Words bits, Statistics statistics, std::size_t features, std::optional<Points> points)
      : bits_(std::move(bits)), statistics_(std::move(statistics)), points_(std::move(points)) {
    const auto& [weight, mean, scatter, rows] = statistics_;
    table = {view(bits_), view(weight), view(mean), view(scatter), view(rows), features};
    const std::size_t count = table.size();
    if (count == 0 || bits_.shape(0) != count || bits_.shape(1) != table.words() ||
        mean.size() != count || scatter.size() != count || rows.size() != count) {
      throw nb::value_error("there must be a group, and one entry per group in every array");
    }
    if (points_) read_points();
  }

  GroupData table;

 private:
  void read_points() {
    const auto& [group, value, weight] = *points_;
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

  Words bits_;
  Statistics statistics_;
  std::optional<Points> points_;
};

struct PythonTask {
  PythonTask(GroupArrays groups, const Restrictions& restrictions, const std::string& loss,
             const std::vector<double>& parameters)
      : arrays(std::move(groups)), task{arrays.table, restrictions, make_loss(loss, parameters)} {
    if (!task.loss) throw nb::value_error("there is no such loss");
    if (task.loss->needs_points() && arrays.table.point_group.empty()) {
      throw nb::value_error("this loss needs points");
    }
  }

  GroupArrays arrays;
  Task task;
  nb::object monitor = nb::none();
};

// Calls `function` with the task, its monitor set, without the GIL.
template <typename Function>
auto run(const PythonTask& given, const Function& function) {
  PythonMonitor python(given.monitor);
  Task task = given.task;
  task.monitor = std::ref(python);
  auto answer = [&] {
    const nb::gil_scoped_release unlocked;
    return function(task);
  }();
  python.rethrow();
  return answer;
}

Restrictions make_restrictions(double regularization, std::optional<std::uint32_t> max_depth,
                               double min_samples_leaf, std::optional<std::uint32_t> max_leaves) {
  const auto depth = std::min<std::uint32_t>(max_depth.value_or(kNoDepthLimit), kNoDepthLimit);
  return {regularization, static_cast<Depth>(depth), min_samples_leaf,
          std::max(max_leaves.value_or(kNoLeafLimit), 1U)};
}

void bind_options(nb::module_& module) {
  nb::class_<Options> options(module, "Options");
  options.def(nb::init<>()).def_rw("eager", &Options::eager);
  for (const Switch& bound : kBounds) options.def_rw(bound.name, bound.member);
}

template <typename T>
auto setter(T Task::* member) {
  return [member](PythonTask& task, const T& value) { task.task.*member = value; };
}

}  // namespace

void bind_tasks(nb::module_& module) {
  bind_options(module);
  nb::class_<Limits>(module, "Limits")
      .def(nb::init<double, std::size_t>(), nb::arg("seconds"), nb::arg("bytes"));
  nb::class_<Restrictions>(module, "Restrictions")
      .def(nb::new_(&make_restrictions), nb::arg("regularization"), nb::arg("max_depth").none(),
           nb::arg("min_samples_leaf"), nb::arg("max_leaves").none());
  nb::class_<GroupArrays>(module, "GroupArrays")
      .def(nb::init<Words, Statistics, std::size_t, std::optional<Points>>(), nb::arg("bits"),
           nb::arg("statistics"), nb::arg("features"), nb::arg("points").none() = nb::none());
  nb::class_<PythonTask>(module, "Task")
      .def(nb::init<GroupArrays, Restrictions, std::string, std::vector<double>>(),
           nb::arg("groups"), nb::arg("restrictions"), nb::arg("loss"), nb::arg("parameters"))
      .def("set_limits", setter(&Task::limits), nb::arg("limits"))
      .def("set_options", setter(&Task::options), nb::arg("options"))
      .def("set_threads", setter(&Task::threads), nb::arg("threads"))
      .def_rw("monitor", &PythonTask::monitor, nb::for_setter(nb::arg("monitor").none()));

  module.def(
      "solve",
      [](const PythonTask& task) { return run(task, [](const Task& t) { return solve(t); }); },
      nb::arg("task"));
  module.def(
      "solve_path",
      [](const PythonTask& task) { return run(task, [](const Task& t) { return solve_path(t); }); },
      nb::arg("task"));
  module.def(
      "grow",
      [](const PythonTask& task) { return run(task, [](const Task& t) { return grow(t); }); },
      nb::arg("task"));
  module.def(
      "solve_near_optimal",
      [](const PythonTask& task, double within, std::size_t max_trees) {
        return run(task, [&](const Task& t) { return solve_near_optimal(t, {within, max_trees}); });
      },
      nb::arg("task"), nb::arg("within"), nb::arg("max_trees"));
  module.def(
      "hold_prices",
      [](const PythonTask& task, const Doubles& prices) {
        if (prices.size() != task.arrays.table.size()) {
          throw nb::value_error("there must be a price for each group");
        }
        const HeldPrices held =
            run(task, [&](const Task& t) { return hold_prices(t, view(prices)); });
        return std::tuple(held.complete, held.prices, held.cheap);
      },
      nb::arg("task"), nb::arg("prices"));
}

}  // namespace optitree
