// Several threads: a shared cache, the same tree whatever their number, and ends that come
// promptly.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sample.hpp"
#include "search/cache.hpp"
#include "search/worker.hpp"

using namespace optitree;

namespace {

constexpr std::size_t kThreads = 4;

// A support with all that it looks at.
struct Place {
  Conjunction conjunction;
  std::vector<std::uint32_t> members;  // where the path leads
  Literal filter;
  std::uint64_t hash;
  std::uint32_t groups;
  double base;  // what trees of any depth cost on it, made up

  Support support() const { return {hash, groups, members, conjunction, filter}; }
  // Made up as well. It falls with the depth, as costs do.
  double cost(Depth depth) const { return base + 1.0 / (1 + depth); }
};

// Supports by random paths, many of them by several. Where `collide`, different ones share a hash.
std::vector<Place> random_places(const Problem& problem, const Implications& implications,
                                 std::mt19937& random, std::size_t count, bool collide) {
  std::map<std::vector<std::uint32_t>, double> bases;
  std::vector<Place> places;
  std::vector<std::uint32_t> all(problem.groups());
  for (std::uint32_t g = 0; g < all.size(); ++g) all[g] = g;
  while (places.size() < count) {
    Place place{{}, all, 0, 0, 0, 0};
    for (std::size_t left = random() % 4;; --left) {
      const auto literal = static_cast<Literal>(random() % (2 * problem.features()));
      std::vector<std::uint32_t> part;
      for (const std::uint32_t g : place.members) {
        if (problem.holds(literal)(g)) part.push_back(g);
      }
      // Only literals that tell groups apart: others are implied, and never split by.
      if (part.empty() || part.size() == place.members.size()) break;
      if (left > 0) {
        Conjunction path;
        path.set(place.conjunction, literal, implications);
        place.conjunction = path;
        place.members = part;
        continue;
      }
      place.filter = literal;
      place.groups = static_cast<std::uint32_t>(part.size());
      for (const std::uint32_t g : part) place.hash += problem.tag(g);
      if (collide) place.hash %= 7;
      place.base = bases.try_emplace(part, random() % 1000).first->second;
      places.push_back(place);
      break;
    }
  }
  return places;
}

struct Fact {
  std::size_t place;
  Depth depth;
  Bounds bounds;
};

// True bounds, from loose to exact.
std::vector<Fact> random_facts(const std::vector<Place>& places, std::mt19937& random,
                               std::size_t count) {
  std::uniform_real_distribution<double> slack(0, 0.3);
  std::vector<Fact> facts;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = random() % places.size();
    const auto depth = static_cast<Depth>(3 + random() % 4);
    const auto height = static_cast<Depth>(random() % (depth + 1));
    const Place& place = places[at];
    const double lower = place.cost(depth) - slack(random);
    facts.push_back({at, depth, {lower, place.cost(height) + slack(random), height}});
  }
  return facts;
}

bool is_true(const Cache::Found& known, const Place& place, Depth depth) {
  const double next = place.cost(static_cast<Depth>(depth + 1));
  const bool tree = known.upper == kInfinity ||
                    (known.height <= depth && known.upper >= place.cost(known.height));
  return tree && known.lower <= place.cost(depth) && known.lower_above <= next;
}

void test_what_is_found_while_others_store_is_true() {
  for (unsigned seed = 0; seed < cases(40); ++seed) {
    std::mt19937 random(seed);
    Sample sample = random_sample(seed, 60, 10);
    while (sample.features < 4 || sample.target.size() < 20)
      sample = random_sample(random(), 60, 10);
    const Groups groups(sample);
    Problem problem = problem_of(sample, groups);
    Task task = task_of(sample, groups);
    task.threads = kThreads;
    const Options& options = task.options;
    Watch watch({}, nullptr);
    Shared shared(problem, watch, task, false);
    Worker leader(shared, true);
    const Node* root = leader.root(kNoDepthLimit);
    if (problem.groups() < 4 || root == nullptr) continue;
    shared.implications.learn(root->counted, root->total);
    const std::vector<Place> places =
        random_places(problem, shared.implications, random, 300, seed % 2 == 0);
    std::vector<std::vector<Fact>> facts;
    for (std::size_t k = 0; k < kThreads; ++k) facts.push_back(random_facts(places, random, 3000));

    std::vector<int> wrong(kThreads, 0);
    {
      std::vector<std::jthread> threads;
      for (std::size_t k = 0; k < kThreads; ++k) {
        threads.emplace_back([&, k] {
          for (const Fact& fact : facts[k]) {
            const Place& place = places[fact.place];
            shared.cache.store(place.support(), fact.depth, fact.bounds);
            const Place& other = places[(fact.place + 1) % places.size()];
            for (const Place* seen : {&place, &other}) {
              wrong[k] +=
                  !is_true(shared.cache.find(seen->support(), fact.depth), *seen, fact.depth);
            }
            const Cache::Found own = shared.cache.find(place.support(), fact.depth);
            wrong[k] += own.lower < fact.bounds.lower || own.upper > fact.bounds.upper;
          }
        });
      }
    }
    check(std::ranges::count(wrong, 0) == kThreads, "what is found is true, now and later", seed);

    Cache alone(problem, options, shared.implications, watch, 1);
    for (const std::vector<Fact>& some : facts) {
      for (const Fact& fact : some) {
        alone.store(places[fact.place].support(), fact.depth, fact.bounds);
      }
    }
    bool same = alone.size() == shared.cache.size();
    for (const Place& place : places) {
      for (const Depth depth : {Depth{0}, Depth{3}, Depth{4}, Depth{6}}) {
        const Cache::Found a = alone.find(place.support(), depth);
        const Cache::Found b = shared.cache.find(place.support(), depth);
        same &= a.lower == b.lower && a.upper == b.upper && a.height == b.height;
        same &= a.lower_above == b.lower_above;
      }
    }
    check(same, "in the end the threads know what one would have known", seed);
  }
}

Sample mid_size_sample(unsigned seed) {
  Sample sample = random_sample(seed, 90, 12);
  while (sample.features < 8 || sample.target.size() < 40) {
    sample = random_sample(seed += 100'000, 90, 12);
  }
  const Depth depths[] = {3, 4, 5, kNoDepthLimit};
  sample.restrictions.max_depth = depths[seed % 4];
  if (sample.restrictions.regularization == 0) sample.restrictions.max_depth = 4;
  return sample;
}

void test_the_number_of_threads_leaves_no_trace() {
  for (unsigned seed = 0; seed < cases(150); ++seed) {
    const Sample sample = mid_size_sample(seed);
    const Solution one = solve_sample(sample);
    check(one.status == Status::kOptimal && one.lower_bound == one.objective, "proven", seed);
    for (const bool eager : {false, true}) {
      Options options;
      options.eager = eager;
      for (const std::size_t threads : {1, 2, 4}) {
        const Solution other = solve_sample(sample, options, threads);
        check(other.status == Status::kOptimal, "proven by any number of threads", seed);
        check(same_tree(one, other), "the same tree by any number of threads", seed);
      }
    }
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What is left of a search of endless noise that was stopped.
void check_stopped(const Sample& sample, const Solution& stopped, Status status, unsigned seed) {
  const double leaves = static_cast<double>(stopped.tree.leaves());
  check(stopped.status == status, "the reason of the stop", seed);
  check(0 < stopped.lower_bound && stopped.lower_bound < stopped.objective, "bounds in order",
        seed);
  check(leaves * sample.restrictions.regularization < stopped.objective, "leaves are paid", seed);
  for (const Progress& point : stopped.trace) {
    check(point.lower <= stopped.objective + 1e-9, "no lower bound above a tree", seed);
    check(point.upper >= stopped.lower_bound - 1e-9, "no tree below a lower bound", seed);
  }
}

// A slow build on a busy machine needs more than the tenth of a second that this takes otherwise.
constexpr double kPromptly = 5;

void test_limits_end_a_threaded_search() {
  for (unsigned seed = 0; seed < cases(8); ++seed) {
    const Sample sample = noise(seed, 400, 40);
    Options options;
    options.eager = seed % 2 == 0;
    for (const std::size_t threads : {2, 4}) {
      auto start = std::chrono::steady_clock::now();
      Limits limits;
      limits.seconds = 0.05 + 0.05 * (seed % 3);
      check_stopped(sample, solve_sample(sample, options, threads, limits), Status::kTimeLimit,
                    seed);
      check(seconds_since(start) < limits.seconds + kPromptly, "the time limit is kept", seed);

      Limits few;
      few.seconds = 60;
      few.bytes = 3'000'000;
      const Solution full = solve_sample(sample, options, threads, few);
      check_stopped(sample, full, Status::kMemoryLimit, seed);
      check(full.effort.bytes <= few.bytes, "no more memory is taken than allowed", seed);

      std::chrono::steady_clock::time_point asked;
      int calls = 0;
      const Monitor stop = [&](const Progress&) {
        asked = std::chrono::steady_clock::now();
        return ++calls < 1 + static_cast<int>(seed % 3);
      };
      check_stopped(sample, solve_sample(sample, options, threads, {}, stop), Status::kInterrupted,
                    seed);
      check(seconds_since(asked) < kPromptly, "a request to stop is followed", seed);
      check(calls == 1 + static_cast<int>(seed % 3), "nobody is asked after the end", seed);
    }
  }
}

// Stopped at any moment, the bounds hold for the optimum.
void test_bounds_of_a_stopped_threaded_search_hold() {
  for (unsigned seed = 0; seed < cases(60); ++seed) {
    Sample sample = random_sample(seed, 120, 25);
    sample.restrictions.max_depth = 4;
    const Solution full = solve_sample(sample);
    for (const bool eager : {false, true}) {
      Options options;
      options.eager = eager;
      Limits limits;
      limits.seconds = eager ? full.effort.seconds * (seed % 10) / 10 : kInfinity;
      limits.bytes = eager ? limits.bytes : 50'000 + 20'000 * seed;
      const Solution stopped = solve_sample(sample, options, 2 + seed % 3, limits);
      check(stopped.lower_bound <= full.objective + 1e-9, "lower bound of a stopped search", seed);
      check(stopped.objective >= full.objective - 1e-9, "objective of a stopped search", seed);
    }
  }
}

void test_what_the_monitor_throws_comes_out() {
  for (unsigned seed = 0; seed < cases(8); ++seed) {
    const Sample sample = noise(seed, 400, 40);
    Options options;
    options.eager = seed % 2 == 0;
    unsigned calls = 0;
    const Monitor throws = [&](const Progress&) -> bool {
      if (calls++ == seed % 3) throw std::runtime_error("enough");
      return true;
    };
    bool caught = false;
    const auto start = std::chrono::steady_clock::now();
    try {
      solve_sample(sample, options, 1 + seed % 4, {}, throws);
    } catch (const std::runtime_error&) {
      caught = true;
    }
    check(caught && calls == seed % 3 + 1, "what the monitor throws comes out at once", seed);
    check(seconds_since(start) < kPromptly, "an exception leaves no thread behind", seed);
  }
}

}  // namespace

void test_threads() {
  test_what_is_found_while_others_store_is_true();
  test_the_number_of_threads_leaves_no_trace();
  test_limits_end_a_threaded_search();
  test_bounds_of_a_stopped_threaded_search_hold();
  test_what_the_monitor_throws_comes_out();
}
