#include "search/search.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "search/read_off.hpp"

namespace optitree {

namespace {

// A deep search closes its first branches late. Solving the problem for a small depth first costs
// little, and a search that is stopped has a good tree to show.
constexpr Depth kSeedDepth = 3;

// When to improve prices, found by trial on the paper's tables. A first improvement takes about
// kPass units of work per group and pair of features. Searches of little depth are over too soon.
constexpr double kPass = 12;
constexpr Depth kShallow = 5;
constexpr double kPassesBeforePrices = 0.1, kPassesBeforePricesIfShallow = 16;
// Prices are improved again if the last time closed enough of the distance to the best tree known:
// the share kLittle of it while pricing has taken less than kLittleWork of the work of the search,
// the share kMuch from then on.
constexpr double kLittleWork = 0.5, kLittle = 0.1, kMuch = 0.4;
constexpr double kAfterGivingUp = 4;  // a pass that did not end makes the next one wait
constexpr double kNextRound = 3;      // times the work of the search so far
constexpr double kLeastRound = 1e6;
constexpr double kSecondsToReadOff = 0.1;

// The work of a search before prices and threads are worth their while.
double patience(const Problem& problem, const Options& options) {
  if (options.eager) return 0;
  const auto features = static_cast<double>(problem.features());
  const double pass = kPass * static_cast<double>(problem.groups()) * features * features;
  const bool shallow = problem.restrictions().max_depth <= kShallow;
  return pass * (shallow ? kPassesBeforePricesIfShallow : kPassesBeforePrices);
}

}  // namespace

Search::Search(Problem& problem, Watch& watch, const Task& task, bool several)
    : problem_(problem),
      options_(task.options),
      watch_(watch),
      shared_(problem, watch, task, several) {
  for (std::size_t k = 0; k < task.threads; ++k) workers_.emplace_back(shared_, k == 0);
  watch_.take(problem_.bytes());  // it is there already: what is over the limit ends the search
  watch_.observe([this] { return progress(); });
}

Bounds Search::run() {
  shared_.begin(problem_.root_cost());
  const Node* root = leader().root(problem_.restrictions().max_depth);
  if (root == nullptr) return shared_.root();
  shared_.implications.learn(root->counted, root->total);
  if (problem_.restrictions().max_depth > kSeedDepth + 1) leader().solve_root(kSeedDepth);
  shared_.proving = true;
  if (options_.kmeans) shared_.report({}, leader().clustering_bound_of_root());
  if (!watch_.stopped()) prove();
  return shared_.root();
}

Bounds Search::run_again(double regularization, const Bounds& known) {
  shared_.cache.change_regularization(problem_.regularization(), regularization);
  problem_.set_regularization(regularization);
  shared_.restart(known);
  watch_.look();  // many small searches may do too little each to come to it
  begin_ = spent();
  pricing_ = last_pass_ = 0;
  allowance_ = kAllowanceAgain;
  if (prices_) {
    prices_->change_regularization();
    problem_.set_prices(prices_->best());
    shared_.report({}, prices_->total());
  }
  if (options_.kmeans) shared_.report({}, leader().clustering_bound_of_root());
  if (!watch_.stopped() && !shared_.root().solved()) prove();
  return shared_.root();
}

// Rounds of searching. Each begins at the root, finds what the earlier ones left in the cache, and
// is followed by an improvement of the prices, while the other threads go on searching.
void Search::prove() {
  const bool priced = options_.prices && problem_.has_prices() && problem_.regularization() > 0;
  Pace& pace = leader().pace();
  const auto pause_after = [&](double work) {
    pace.pause_at(pace.spent() + static_cast<std::size_t>(work));
  };
  if (priced || shared_.threads > 1) pause_after(patience(problem_, options_));
  bool over = search_once(options_.eager ? shared_.threads - 1 : 0, priced);
  while (!over) {
    const double round = kNextRound * searched() / static_cast<double>(shared_.threads);
    if (priced) pause_after(std::max(round, kLeastRound));
    over = search_once(shared_.threads - 1, priced);
  }
  pace.never_pause();
  shared_.unwind = false;
}

// One round. True if the search is over.
bool Search::search_once(std::size_t helpers, bool priced) {
  shared_.unwind = false;
  std::exception_ptr failure;
  std::mutex failing;
  bool better = false;
  bool complete = false;  // the leader has been everywhere: another round would find nothing new
  {
    const auto search = [&](Worker& worker) {
      worker.solve_root(problem_.restrictions().max_depth);
      if (shared_.root().solved()) shared_.unwind = true;
    };
    std::vector<std::jthread> threads;
    // Before the threads are joined, whatever happens.
    struct CallBack {
      std::atomic<bool>& unwind;
      ~CallBack() { unwind = true; }
    } const call_back{shared_.unwind};

    for (std::size_t k = 1; k <= helpers; ++k) {
      threads.emplace_back([&, k] {
        try {
          search(workers_[k]);
        } catch (...) {
          const std::lock_guard lock(failing);
          failure = std::current_exception();
          shared_.unwind = true;
        }
      });
    }
    const std::size_t begin = leader().pace().spent();
    search(leader());
    complete = !leader().pace().halted();
    // What the others do meanwhile can be read only when they are back: about as much.
    helping_ = helpers * (leader().pace().spent() - begin);
    leader().pace().never_pause();
    if (priced && !leader().pace().halted()) better = improve_prices();
  }
  if (failure) std::rethrow_exception(failure);
  helped_ = helping_ = 0;
  for (std::size_t k = 1; k < workers_.size(); ++k) helped_ += workers_[k].pace().spent();
  if (shared_.root().solved() || watch_.stopped() || complete) return true;
  if (better) {
    problem_.set_prices(prices_->best());
    shared_.report({}, prices_->total());
  }
  return shared_.root().solved();
}

// Work of all threads.
std::size_t Search::spent() const { return workers_.front().pace().spent() + helped_ + helping_; }

double Search::searched() const { return static_cast<double>(spent() - begin_ - pricing_); }

// Improves the prices as long as that pays.
bool Search::improve_prices() {
  Pace& pace = leader().pace();
  const double most = options_.eager ? kInfinity : allowance_ * searched();
  if (!prices_) {
    const auto tree = ReadOff(leader(), problem_, watch_).best_known(kSecondsToReadOff);
    prices_ = shared_.loss.prices(problem_, *tree, pace);
  }
  bool better = false;
  while (!pace.halted()) {
    const double left = most - static_cast<double>(pricing_);
    if (left <= static_cast<double>(last_pass_)) break;
    const double before = prices_->total();
    const double upper = shared_.root().upper;
    const std::size_t start = pace.spent();
    better |= prices_->improve(upper, left);
    last_pass_ = pace.spent() - start;
    pricing_ += last_pass_;
    if (static_cast<double>(last_pass_) >= left) allowance_ /= kAfterGivingUp;
    const bool little_work = static_cast<double>(pricing_) < kLittleWork * searched();
    const double enough = (little_work ? kLittle : kMuch) * std::max(upper - before, 0.0);
    if (prices_->total() - before <= enough) break;
  }
  return better;
}

Progress Search::progress() const {
  const Bounds root = shared_.root();
  std::uint64_t solved = 0;
  for (const Worker& worker : workers_) solved += worker.solved();
  return {{watch_.seconds(), solved, shared_.cache.size(), watch_.bytes()}, root.lower, root.upper};
}

}  // namespace optitree
