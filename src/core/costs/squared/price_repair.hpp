// Makes prices hold for every conjunction of literals, under squared error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/watch.hpp"
#include "costs/squared/known_conjunctions.hpp"
#include "problem/problem.hpp"

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

// Looks through all conjunctions, in sets that a bound closes, for those that are cheaper than
// their groups, and lowers the prices of these until they are not (docs/theory.md, "Prices").
class PriceRepair {
 public:
  PriceRepair(const Problem& problem, Pace& pace, KnownConjunctions& known);

  // False if it gave up, at the latest when the work of this thread reaches `give_up_at`; the
  // prices then promise nothing. Every conjunction that was too cheap is added to those known.
  bool repair(std::vector<double>& price, double give_up_at);

 private:
  // A list of groups that is written anew again and again: it grows, but never shrinks or refills.
  class GroupList {
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
  struct Examined {
    GroupList free;                     // that some of these conjunctions leave out
    GroupList forced;                   // that all of them have
    std::vector<std::uint64_t> open;    // literals: words of "is 1", then words of "is 0"
    std::vector<std::uint64_t> closed;  // literals all of whose conjunctions are done with
    double from, to;                    // centres at which some conjunction may be too cheap
    double centre;                      // the most promising of them
    Term forced_total;
  };

  bool examine(std::size_t length);
  void choose_literals(Examined& at, std::uint64_t* worth);
  bool extend(std::size_t length, std::size_t word, std::uint64_t bit);
  bool exceeds(const Term& total) const;
  void lower_if_cheaper(const Examined& at);
  bool narrow(Examined& at) const;
  void force(Examined& at) const;
  bool may_be_cheaper(Examined& at) const;
  std::uint32_t worst_fit(const Examined& at) const;
  void screen(const Examined& at);
  bool worth_adding(std::size_t word, std::uint64_t bit) const;
  void set_price(std::uint32_t group, double price);

  const Problem& problem_;
  Pace& pace_;
  KnownConjunctions& known_;
  const double rounding_;
  // Of this repair:
  std::vector<double>* price_ = nullptr;
  double lambda_ = 0;
  double give_up_at_ = 0;

  std::vector<Term> terms_;
  std::vector<Examined> examined_;    // by the length of the conjunction
  std::vector<double> addable_;       // of a feature: what the free groups with it can add at most
  std::vector<std::uint64_t> worth_;  // by length: literals to extend with
  double addable_in_all_ = 0;
  double forced_ = 0;  // what the forced groups add at most
};

}  // namespace optitree
