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

#include "common/watch.hpp"
#include "problem/cell.hpp"
#include "problem/problem.hpp"
#include "problem/shape.hpp"

namespace optitree {

// What a group, or a set of groups, brings to a leaf with these prices and a centre m:
//   excess + 2 sum m - weight m² = sum over groups of price - weight (mean - m)².
struct Term {
  double excess = 0;  // price - square
  double sum = 0;
  double weight = 0;
  double mean = 0;  // of a group
};
inline Term operator+(const Term& a, const Term& b) {
  return {a.excess + b.excess, a.sum + b.sum, a.weight + b.weight, 0};
}

class Prices {
 public:
  // Starts from a good tree: the cost of each leaf is spread over its groups.
  Prices(const Problem& problem, const Shape& tree, Pace& pace);

  // Raises the prices within the conjunctions known so far, then looks for conjunctions that have
  // become cheaper than their groups and lowers those. `upper` is the cost of a tree on all groups.
  // Gives up after about `work` nanoseconds. Whether there are better prices than before.
  bool improve(double upper, double work);

  // Goes on at the regularization that the problem has now.
  void change_regularization();

  // The best prices found so far that hold for every conjunction, and their sum.
  const std::vector<double>& best() const { return best_; }
  double total() const { return total_; }

 private:
  // A list of groups that is written anew again and again: it grows, but never shrinks or refills.
  class Groups {
   public:
    std::uint32_t* room_for(std::size_t most) {
      if (storage_.size() < most) storage_.resize(most);
      return storage_.data();
    }
    void ends_at(const std::uint32_t* end) {
      size_ = static_cast<std::size_t>(end - storage_.data());
    }
    std::uint32_t* begin() { return storage_.data(); }
    const std::uint32_t* begin() const { return storage_.data(); }
    const std::uint32_t* end() const { return storage_.data() + size_; }
    std::size_t size() const { return size_; }

   private:
    std::vector<std::uint32_t> storage_;
    std::size_t size_ = 0;
  };
  // A set of conjunctions under examination: those that extend the one that leads here by some of
  // the literals in `open`.
  struct Level {
    Groups free;                        // that some of these conjunctions leave out
    Groups forced;                      // that all of them have
    std::vector<std::uint64_t> open;    // literals: words of "is 1", then words of "is 0"
    std::vector<std::uint64_t> closed;  // literals all of whose conjunctions are done with
    double from, to;                    // centres at which some conjunction may be too cheap
    double centre;                      // the most promising of them
    Term forced_total;
  };
  // A conjunction that was once cheaper than its groups.
  struct Known {
    double cost;
    std::size_t begin, end;  // of its groups in known_groups_
    bool useful;             // in the last ascent
  };

  // Prices that held for every conjunction at another regularization.
  struct Earlier {
    double lambda;
    std::vector<double> price;
    double total;
  };

  void spread(const Shape& tree, std::vector<std::uint32_t> members);
  void ascend(double upper);
  void forget_useless();
  bool repair_all();
  bool examine(std::size_t depth);
  bool extend(std::size_t depth, std::size_t word, std::uint64_t bit);
  bool exceeds(const Term& total) const;
  void lower_if_cheaper(const Level& level);
  bool narrow(Level& level) const;
  void force(Level& level) const;
  bool may_be_cheaper(Level& level) const;
  std::uint32_t worst_fit(const Level& level) const;
  void screen(const Level& level);
  bool worth_adding(std::size_t word, std::uint64_t bit) const;
  void set_price(std::uint32_t group, double price);
  double random();

  const Problem& problem_;
  Pace& pace_;
  double lambda_;
  const double rounding_;
  std::vector<double> price_;
  std::vector<double> best_;
  double total_ = 0;
  std::vector<Earlier> earlier_;  // by regularization
  std::vector<Term> terms_;
  std::vector<Level> levels_;
  std::vector<double> addable_;       // of a feature: what the free groups with it can add at most
  std::vector<std::uint64_t> worth_;  // of every level: literals to extend with
  double addable_in_all_ = 0;
  double forced_ = 0;  // what the forced groups add at most
  std::vector<std::uint32_t> known_groups_;
  std::vector<Known> known_;
  std::vector<double> momentum_, raised_, highest_;  // of the ascent
  std::uint64_t state_ = 1;                          // of the random numbers
  double give_up_at_ = 0;
};

}  // namespace optitree
