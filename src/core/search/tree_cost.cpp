#include "search/tree_cost.hpp"

#include <numeric>
#include <vector>

#include "common/sum.hpp"

namespace optitree {

namespace {

struct Leaves {
  const Problem& problem;
  const Loss& loss;
  const GroupData& table;
  CompensatedSum lost{};

  void add(const Shape& tree, const std::vector<std::uint32_t>& members) {
    if (tree.is_leaf()) {
      lost.add(loss.predict(members, problem, table).loss);
      return;
    }
    const auto side = problem.sides_of(members, tree.literal >> 1);
    for (const std::size_t value : {0, 1}) add(*tree.children[value], side[value]);
  }
};

}  // namespace

double tree_cost(const Shape& tree, const Problem& problem, const Loss& loss,
                 const GroupData& table) {
  std::vector<std::uint32_t> everything(problem.groups());
  std::iota(everything.begin(), everything.end(), 0U);
  Leaves leaves{problem, loss, table};
  leaves.add(tree, everything);
  const double share = problem.root_loss() > 0 ? leaves.lost.value() / problem.root_loss() : 0;
  return share - problem.floor_share() + problem.regularization() * tree.leaves;
}

}  // namespace optitree
