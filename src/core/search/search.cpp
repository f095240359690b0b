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
// The work of a round, as a multiple of what the search has done before it: few rounds while it may
// be over soon, then so many that all that goes on beside it has its turn.
constexpr double kNextRound = 2, kNextLateRound = 0.5;
constexpr double kLate = 1e8;
constexpr double kLateShare = 0.02;  // of the time limit
constexpr double kAlone = 1e7;       // less is not worth a second thread
constexpr double kLeastRound = 1e6;
constexpr double kSecondsToReadOff = 0.1;

std::deque<Worker> make_workers(Shared& shared, std::size_t count) {
  std::deque<Worker> workers;
  for (std::size_t k = 0; k < count; ++k) workers.emplace_back(shared, k == 0);
  return workers;
}

}  // namespace

Search::Search(Problem& problem, Watch& watch, const Task& task, bool several)
    : problem_(problem),
      options_(task.options),
      watch_(watch),
      shared_(problem, watch, task, several),
      workers_(make_workers(shared_, task.threads)),
      pricing_(shared_, leader().pace()),
      anytime_(shared_, leader()),
      several_(several) {
  watch_.take(problem_.bytes());  // it is there already: what is over the limit ends the search
  watch_.observe([this] { return progress(); });
}

Bounds Search::run() {
  shared_.begin(problem_.root_cost());
  const Node* root = leader().root(problem_.restrictions().max_depth);
  if (root == nullptr) return shared_.root();
  shared_.implications.learn(root->counted, root->total);
  if (problem_.restrictions().max_depth > kSeedDepth + 1) anytime_.begin_with(kSeedDepth);
  if (options_.kmeans) shared_.report({}, leader().clustering_bound_of_root());
  if (!watch_.stopped()) prove();
  return shared_.root();
}

Bounds Search::run_again(double regularization, const Bounds& known) {
  shared_.cache.change_regularization(problem_.regularization(), regularization);
  problem_.set_regularization(regularization);
  shared_.restart(known);
  watch_.look();  // many small searches may do too little each to come to it
  begin_alone_ += spent_alone();
  begin_helped_ = static_cast<double>(helped_);
  pricing_.begin_run();
  pricing_.change_regularization();
  if (options_.kmeans) shared_.report({}, leader().clustering_bound_of_root());
  if (!watch_.stopped() && !shared_.root().solved()) prove();
  return shared_.root();
}

// Rounds of searching. Each begins at the root, finds what the earlier ones left in the cache, and
// is followed by an improvement of the prices, while the other threads go on searching.
void Search::prove() {
  Pace& pace = leader().pace();
  const auto pause_after = [&](double work) {
    pace.pause_at(pace.spent() + static_cast<std::size_t>(work));
  };
  pause_after(std::min(pricing_.patience(), shared_.threads > 1 ? kAlone : kLate));
  bool over = search_once(options_.eager ? shared_.threads - 1 : 0);
  while (!over) {
    const double next = late() ? kNextLateRound : kNextRound;
    pause_after(std::max(next * searched_alone(), kLeastRound));
    over = search_once(shared_.threads - 1);
  }
  pace.never_pause();
  shared_.unwind = false;
}

// One round. True if the search is over.
bool Search::search_once(std::size_t helpers) {
  shared_.unwind = false;
  std::exception_ptr failure;
  std::mutex failing;
  bool complete = false;  // the leader has been everywhere: another round would find nothing new
  {
    const auto search = [&](Worker& worker) {
      worker.solve_root(problem_.restrictions().max_depth, shared_.goal);
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
    if (!complete) work_beside();
  }
  if (failure) std::rethrow_exception(failure);
  helped_ = helping_ = 0;
  for (std::size_t k = 1; k < workers_.size(); ++k) helped_ += workers_[k].pace().spent();
  if (shared_.root().solved() || watch_.stopped() || complete) return true;
  if (better_prices_) pricing_.apply();
  better_prices_ = false;
  return shared_.root().solved();
}

// What the leader does while the others go on. Prices may take long: rungs and trees have their
// turn in between.
void Search::work_beside() {
  do {
    if (leader().pace().halted()) return;
    if (pricing_.possible() && searched() >= pricing_.patience()) improve_prices();
    if (!several_ && late()) anytime_.go_on(spent());
  } while (pricing_.interrupted());
}

void Search::improve_prices() {
  if (pricing_.empty()) {
    const auto tree = ReadOff(leader(), problem_, watch_).best_known(kSecondsToReadOff);
    pricing_.begin(*tree);
  }
  pricing_.suggest(anytime_.best().tree());
  const bool hopeless = !several_ && anytime_.out_of_reach();
  const double put_off = several_ ? 0 : anytime_.put_off();
  better_prices_ |= pricing_.improve({searched(), searched_alone(), hopeless, put_off});
}

// Whether it has become a long search, or will not become one.
bool Search::late() const {
  return options_.eager || spent_alone() > kLate ||
         watch_.seconds() > kLateShare * watch_.time_limit();
}

// The work of this run, by all threads, and that of it which is search.
double Search::spent() const {
  return spent_alone() + static_cast<double>(helped_ + helping_) - begin_helped_;
}
double Search::searched() const { return spent() - pricing_.spent() - anytime_.spent(); }

// That of the leader. While it prices the others go on as well as they can, but it is not what they
// do then that tells when better prices are due.
double Search::spent_alone() const {
  return static_cast<double>(workers_.front().pace().spent()) - begin_alone_;
}
double Search::searched_alone() const {
  return spent_alone() - pricing_.spent() - anytime_.spent();
}

Progress Search::progress() const {
  const Bounds root = shared_.root();
  std::uint64_t solved = 0;
  for (const Worker& worker : workers_) solved += worker.solved();
  return {{watch_.seconds(), solved, shared_.cache.size(), watch_.bytes()},
          root.lower,
          root.upper,
          root.solved() ? kNoDepthLimit : shared_.proven_depth(root.upper)};
}

}  // namespace optitree
