#include "answers/unproven.hpp"

#include "search/read_off.hpp"

namespace optitree {

namespace {

constexpr double kSecondsEach = 0.25;

}  // namespace

std::vector<std::shared_ptr<const Shape>> unproven_trees(Search& search, Problem& problem,
                                                         Watch& watch, const Task& task) {
  watch.extend(3 * kSecondsEach);
  ReadOff read_off(search.leader(), problem, watch);
  std::vector<std::shared_ptr<const Shape>> trees{read_off.best_known(kSecondsEach)};
  problem.set_regularization(task.restrictions.regularization);
  trees.push_back(read_off.by_lookahead(kSecondsEach));
  if (search.best_kept() != nullptr) trees.push_back(search.best_kept());
  auto greedy = task.loss->greedy_tree(problem, watch, kSecondsEach);
  if (greedy != nullptr) trees.push_back(std::move(greedy));
  return trees;
}

Status final_status(bool proven, Status stop) {
  if (proven) return stop == Status::kInterrupted ? stop : Status::kOptimal;
  return stop == Status::kOptimal ? Status::kPrecisionLimit : stop;
}

}  // namespace optitree
