// A tree made better, one subtree after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "problem/problem.hpp"
#include "problem/shape.hpp"
#include "search/read_off.hpp"
#include "search/worker.hpp"

namespace optitree {

// Solves each subtree of a tree again as far as a few splits below it, exactly, with what it costs
// now as its budget: leaves grow, branches are cut or replaced. What is found stays in the cache,
// so nothing of it is lost on the search.
class Improvement {
 public:
  // A subtree that was not made better on this support, with so many splits below each place. Trees
  // share what they have in common: none of it is looked at again.
  struct Settled {
    std::shared_ptr<const Shape> tree;
    std::uint64_t support;  // its hash
    double cost;
    Depth splits;
  };
  using AllSettled = std::unordered_map<const Shape*, Settled>;

  // With so many splits below each place.
  Improvement(Worker& worker, const Problem& problem, const Watch& watch, Depth splits,
              AllSettled& settled)
      : worker_(worker),
        problem_(problem),
        read_off_(worker, problem, watch),
        splits_(splits),
        settled_(settled) {}

  // Null if the worker was halted before anything was found.
  std::shared_ptr<const Shape> improve(const std::shared_ptr<const Shape>& tree);

 private:
  using Subtree = std::shared_ptr<const Shape>;
  struct Costed {
    Subtree tree;  // null if it could not be followed
    double cost;
  };

  Costed improve(Node& node, const Subtree& tree, Depth left);
  Costed follow(Node& node, const Split& split, int side, const Subtree& tree, Depth left);

  Worker& worker_;
  const Problem& problem_;
  ReadOff read_off_;
  const Depth splits_;
  AllSettled& settled_;
};

}  // namespace optitree
