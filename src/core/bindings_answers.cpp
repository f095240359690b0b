// Python's side of what a search answers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "answers/grow.hpp"
#include "answers/near_optimal_trees.hpp"
#include "answers/path.hpp"
#include "answers/solution.hpp"
#include "bindings.hpp"

namespace optitree {

namespace {

const char* name(Status status) {
  switch (status) {
    case Status::kTimeLimit: return "time_limit";
    case Status::kMemoryLimit: return "memory_limit";
    case Status::kPrecisionLimit: return "precision_limit";
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

void bind_trees(nb::module_& module) {
  nb::class_<Tree>(module, "Tree")
      .def_prop_ro("feature", [](const Tree& tree) { return field(tree, &TreeNode::feature); })
      .def_prop_ro("yes", [](const Tree& tree) { return field(tree, &TreeNode::yes); })
      .def_prop_ro("no", [](const Tree& tree) { return field(tree, &TreeNode::no); })
      .def_prop_ro("rows", [](const Tree& tree) { return field(tree, &TreeNode::rows); })
      .def_prop_ro("weight", [](const Tree& tree) { return field(tree, &TreeNode::weight); })
      .def_prop_ro("value", [](const Tree& tree) { return field(tree, &TreeNode::value); })
      .def_prop_ro("loss", [](const Tree& tree) { return field(tree, &TreeNode::loss); });
  nb::class_<Grown>(module, "Grown")
      .def_ro("tree", &Grown::tree)
      .def_ro("pruned_at", &Grown::pruned_at);
}

// An array that looks at the values where they are and keeps what they belong to.
template <typename T>
auto array_of(std::vector<T> SharedTrees::* member) {
  return [member](nb::handle_t<SharedTrees> owner) {
    std::vector<T>& values = nb::cast<SharedTrees&>(owner).*member;
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner);
  };
}

void bind_near_optimal_trees(nb::module_& module) {
  nb::class_<SharedTrees>(module, "SharedTrees")
      .def_prop_ro("feature", array_of(&SharedTrees::feature))
      .def_prop_ro("support", array_of(&SharedTrees::support))
      .def_prop_ro("yes", array_of(&SharedTrees::yes))
      .def_prop_ro("no", array_of(&SharedTrees::no))
      .def_prop_ro("rows", array_of(&SharedTrees::rows))
      .def_prop_ro("weight", array_of(&SharedTrees::weight))
      .def_prop_ro("value", array_of(&SharedTrees::value))
      .def_prop_ro("loss", array_of(&SharedTrees::loss))
      .def_prop_ro("root", array_of(&SharedTrees::root))
      .def_prop_ro("objective", array_of(&SharedTrees::objective));
  nb::class_<NearOptimalTrees>(module, "NearOptimalTrees")
      .def_ro("best", &NearOptimalTrees::best)
      .def_prop_ro("status", [](const NearOptimalTrees& near) { return name(near.status); })
      .def_ro("trees", &NearOptimalTrees::trees)
      .def_ro("lower_bound", &NearOptimalTrees::lower_bound)
      .def_ro("more", &NearOptimalTrees::more);
}

void bind_path(nb::module_& module) {
  nb::class_<Step>(module, "Step")
      .def_ro("tree", &Step::tree)
      .def_ro("low", &Step::low)
      .def_ro("high", &Step::high);
  nb::class_<Path>(module, "Path")
      .def_prop_ro("status", [](const Path& path) { return name(path.status); })
      .def_ro("steps", &Path::steps)
      .def_ro("effort", &Path::effort)
      .def_ro("error", &Path::error)
      .def_ro("known", &Path::known);
}

std::optional<Depth> unless_unlimited(Depth depth) {
  return depth == kNoDepthLimit ? std::nullopt : std::optional(depth);
}

}  // namespace

void bind_answers(nb::module_& module) {
  nb::class_<Effort>(module, "Effort")
      .def_ro("seconds", &Effort::seconds)
      .def_ro("solved", &Effort::solved)
      .def_ro("cached", &Effort::cached)
      .def_ro("bytes", &Effort::bytes);
  nb::class_<Progress, Effort>(module, "Progress")
      .def_ro("lower_bound", &Progress::lower)
      .def_ro("upper_bound", &Progress::upper)
      .def_prop_ro("proven_depth", [](const Progress& progress) {
        return unless_unlimited(progress.proven_depth);
      });
  bind_trees(module);
  nb::class_<Solution>(module, "Solution")
      .def_prop_ro("status", [](const Solution& solution) { return name(solution.status); })
      .def_ro("objective", &Solution::objective)
      .def_ro("lower_bound", &Solution::lower_bound)
      .def_prop_ro("proven_depth",
                   [](const Solution& solution) { return unless_unlimited(solution.proven_depth); })
      .def_ro("effort", &Solution::effort)
      .def_ro("trace", &Solution::trace)
      .def_ro("prices", &Solution::prices)
      .def_ro("tree", &Solution::tree);
  bind_near_optimal_trees(module);
  bind_path(module);
}

}  // namespace optitree
