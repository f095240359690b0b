// Makes prices hold for every conjunction of literals, under squared error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "common/watch.hpp"
#include "costs/squared/group_list.hpp"
#include "costs/squared/known_conjunctions.hpp"
#include "costs/squared/price_terms.hpp"
#include "problem/conjunction.hpp"
#include "problem/problem.hpp"

namespace optitree {

// Looks through all conjunctions, in sets that a bound closes, for those that are cheaper than
// their groups, and lowers the prices of these until they are not (docs/theory.md, "Prices"). A
// pass can be left at any moment and gone on with later: prices only fall meanwhile.
class PriceRepair {
 public:
  PriceRepair(const Problem& problem, const Implications& implications, Pace& pace,
              KnownConjunctions& known);

  // Begins a pass.
  void begin(std::vector<double>& price);
  // Goes on with it until the work of this thread reaches `pause_at`. Whether it is complete; until
  // then the prices promise nothing. Every conjunction that was too cheap is added to those known.
  bool go_on(double pause_at);
  // Lowers the price of a group to what is asked for now. What has been examined stays so.
  void lower(std::uint32_t group, double price) {
    if (price < (*price_)[group]) set_price(group, price);
  }
  // What it works with takes.
  std::size_t bytes() const;

 private:
  using Literals = std::vector<std::uint64_t>;  // bits: words of "is 1", then words of "is 0"
  // A set of conjunctions under examination: those that extend the one that leads here by some of
  // the literals in `open`.
  struct Examined {
    // Groups that some of these conjunctions leave out: those that add something at some centre in
    // question, and the idle ones, which matter only once they are forced.
    GroupList adding, idle;
    GroupList forced;  // that all of them have
    Literals open;     // may still be added
    Literals closed;   // all conjunctions with them are done with
    double from, to;   // centres at which some conjunction may be too cheap
    double centre;     // the most promising of them
    Term forced_total;
    Literals violated;            // those of `open` that some group violates,
    std::vector<Literal> extend;  // of these, the ones to extend with, one after the other,
    std::size_t next;             // and which is the next
  };

  bool choose_literals(Examined& at);
  bool extend(Examined& at, Literal literal);
  bool halves_pay() const;
  bool take_half(const Examined& at, Literal half);
  Examined& level(std::size_t number);
  void close(Examined& at, Literal literal);
  bool tight(const Term& total) const;
  void lower_if_cheaper(const Examined& at);
  bool narrow(Examined& at) const;
  bool force(Examined& at) const;
  bool may_be_cheaper(Examined& at) const;
  void set_idle(Examined& at) const;
  bool screen(Examined& at);
  void find_violated(Examined& at) const;
  void order_violated(Examined& at);
  bool implies_another(Literal literal, const Literals& among) const;
  void set_price(std::uint32_t group, double price);

  const Problem& problem_;
  const Implications& implications_;
  Pace& pace_;
  KnownConjunctions& known_;
  const double rounding_;
  // Of this pass:
  std::vector<double>* price_ = nullptr;
  double lambda_ = 0;
  std::size_t level_ = 0;  // of the set under examination

  std::vector<Term> terms_;
  std::deque<Examined> examined_;  // by how many steps lead to it
  Addable addable_;                // what the free groups can add
};

}  // namespace optitree
