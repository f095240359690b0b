// Prices under squared error, improved step by step.
#pragma once

#include <cstdint>
#include <vector>

#include "common/watch.hpp"
#include "costs/leaf_bounds.hpp"
#include "costs/prices.hpp"
#include "costs/squared/known_conjunctions.hpp"
#include "costs/squared/price_repair.hpp"
#include "problem/conjunction.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"

namespace optitree {

class SquaredPrices : public Prices {
 public:
  // Starts from a good tree: the cost of each leaf is spread over its groups.
  SquaredPrices(const Problem& problem, const Implications& implications, const Shape& tree,
                Pace& pace);

  // Raises the prices, within the conjunctions known so far, and then looks for conjunctions that
  // have become cheaper than their groups and lowers those.
  bool improve(const Request& request) override;
  bool under_way() const override { return under_way_; }
  void ask_less(double known) override;
  bool climbing() const override { return completed_ < 1; }
  void start_from(const Shape& tree) override;
  void change_regularization() override;
  bool hold(std::vector<double>& price, std::vector<std::vector<std::uint32_t>>& cheap) override;
  const std::vector<double>& best() const override { return best_; }
  double total() const override { return total_; }
  std::size_t bytes() const override;

 private:
  // Prices that held for every conjunction at another regularization.
  struct Held {
    double lambda;
    std::vector<double> price;
    double total;
  };

  void spread(const Shape& tree, std::vector<std::uint32_t> members);
  bool begin_pass(const Request& request);
  bool go_on(double pause_at);
  void complete_pass();
  void choose_share(double room);
  double cost_share(std::size_t group, double share) const;
  double share_of_tree(double share) const;
  void ascend(double upper);
  double random();

  const Problem& problem_;
  const Implications& implications_;
  Pace& pace_;
  double lambda_;
  // What a tree costs, spread over the groups: what a leaf costs by itself, and its loss. The first
  // is empty at another regularization.
  std::vector<double> of_leaf_, of_loss_;
  std::vector<double> price_;  // of the pass under way
  bool under_way_ = false;
  // Which share of the tree's loss a pass asks for: the larger, the longer it takes. That of the
  // next pass, or of the one under way; and of the last that was completed.
  double share_ = 1;
  double completed_ = 0;
  // The work of the pass under way, what it is expected to be, and what that of the last was.
  double work_ = 0;
  double expected_ = kInfinity;
  double last_work_ = 0;
  double growth_ = 5;  // of the work with the share: the power, a mean of those measured
  std::vector<double> best_;
  double total_ = 0;
  std::vector<Held> held_;  // by regularization
  KnownConjunctions known_;
  PriceRepair repair_;
  std::vector<double> momentum_, raised_, highest_;  // of the ascent
  std::uint64_t state_ = 1;                          // of the random numbers
};

}  // namespace optitree
