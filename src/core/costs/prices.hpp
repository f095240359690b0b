// Prices: a lower bound on every tree that sees which sets of groups can be a leaf at all.
//
// Give every group a price p_g >= 0 such that no possible leaf is cheaper than its groups:
//   sum of p_g over g in Q  <=  c(Q)   for every support Q of a conjunction of literals.
// A tree on a support S partitions S into such leaves, so it costs at least the sum of the prices
// of the groups in S. The bound is additive: it is carried as one more lane of every cell. With a
// least size of a leaf only supports of that size matter. Prices are the dual solution of the
// linear program "cover the groups with leaves"; docs/theory.md has the proofs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/shape.hpp"

namespace optitree {

class Prices {
 public:
  virtual ~Prices() = default;

  // What is to be had: `upper` is the cost of a tree on all groups; comes back after about `work`
  // nanoseconds; what is begun should be complete after `room` in all, or will be of no use.
  struct Request {
    double upper, work, room;
  };
  // Looks for better prices, or goes on with what was begun. Whether there are better ones than
  // before.
  virtual bool improve(const Request& request) = 0;
  // Whether something was begun and is not complete.
  virtual bool under_way() const = 0;
  // It takes too long: goes on asking for less. Prices that sum up to `known` would be of no use.
  virtual void ask_less(double known) = 0;
  // Whether the next passes will ask for more than the last.
  virtual bool climbing() const = 0;
  // There is a better tree to begin with.
  virtual void start_from(const Shape& tree) = 0;
  // Goes on at the regularization that the problem has now.
  virtual void change_regularization() = 0;

  // Lowers prices until they hold for every conjunction, and nothing else: no prices of its own
  // change. Conjunctions that were too cheap for their prices are added to `cheap` where they were
  // come across, at least one if there was one. False if there was no time for all of it.
  virtual bool hold(std::vector<double>& price, std::vector<std::vector<std::uint32_t>>& cheap) = 0;

  // The best prices found so far that hold for every conjunction, and their sum.
  virtual const std::vector<double>& best() const = 0;
  virtual double total() const = 0;
  // What all of it takes.
  virtual std::size_t bytes() const = 0;
};

}  // namespace optitree
