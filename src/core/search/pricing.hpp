// When prices are improved, and for how long.
#pragma once

#include <cstddef>
#include <memory>

#include "common/watch.hpp"
#include "costs/prices.hpp"
#include "problem/shape.hpp"
#include "search/shared.hpp"

namespace optitree {

// Work is counted in units of about a nanosecond. A pass over all conjunctions is expected to take
// so much for a table of that size; where it does, prices pay for themselves many times over. Where
// the first does not, passes ask for less and prices get a share of the time that the search has
// had, no more: they can make it longer by that share at most.
class Pricing {
 public:
  Pricing(Shared& shared, Pace& pace);

  bool possible() const;
  // The work of a search before prices are worth their while.
  double patience() const;
  // For a run at the regularization that the problem has now.
  void begin_run();
  void change_regularization();

  // Whether a tree is needed to begin with.
  bool empty() const { return prices_ == nullptr; }
  void begin(const Shape& tree);
  // A better tree to begin with, where it matters.
  void suggest(const std::shared_ptr<const Shape>& tree);
  // What is known of the search: its work in this run, by all threads and by the one that prices;
  // whether it is hopeless that it ends in time, and what is put off until shortly before.
  struct Outlook {
    double searched, alone;
    bool hopeless;
    double put_off;
  };
  // Goes on as long as that pays. Whether there are better prices.
  bool improve(const Outlook& outlook);
  // Whether it came back only to let others have their turn.
  bool interrupted() const { return interrupted_; }
  // Puts them into force. No thread may be at work.
  void apply();
  // The best there are; null if there are none.
  const std::vector<double>* best() const { return prices_ ? &prices_->best() : nullptr; }
  // The work of this run that went into prices.
  double spent() const { return spent_; }

 private:
  double share(const Outlook& outlook) const;
  double allowance(const Outlook& outlook) const;
  double most_of_first() const;
  double room(const Outlook& outlook) const;
  void count_memory();
  bool disappointing(double before) const;
  bool worth_more(double before, const Outlook& outlook) const;

  Shared& shared_;
  Pace& pace_;
  const double expected_;  // work of a pass
  std::unique_ptr<Prices> prices_;
  bool again_ = false;  // the cache knows much from earlier runs
  bool interrupted_ = false;
  bool hard_ = false;           // passes do not end in time
  bool disappointing_ = false;  // they do, but bring too little for a search of six splits
  std::shared_ptr<const Shape> tree_;
  double spent_ = 0;
  double last_ = 0;          // of the pass under way, or of the last
  double rest_until_ = 0;    // work of the search before prices are improved again
  std::size_t counted_ = 0;  // bytes of the prices
};

}  // namespace optitree
