// Time limit, memory limit and stop request, looked at every fraction of a millisecond of work.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace optitree {

enum class Status { kOptimal, kTimeLimit, kMemoryLimit, kInterrupted };

struct Limits {
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

// The state of a search: costs above the floor, in units of the root loss.
struct Progress {
  double seconds;
  double lower;
  double upper;
  std::uint64_t solved;  // subproblems
  std::uint64_t cached;
  std::size_t bytes;
};

// Called every so often with the state of the search; returning false asks it to stop.
using Monitor = std::function<bool(const Progress&)>;

class Watch {
 public:
  Watch(const Limits& limits, Monitor monitor)
      : limits_(limits), monitor_(std::move(monitor)), start_(Clock::now()) {}

  // Tells the watch how to see the state of the search.
  void observe(std::function<Progress()> state) { state_ = std::move(state); }

  // To be called with the work done since the last call, about a nanosecond a unit. Once stopped
  // a watch stays stopped.
  bool spend(std::size_t work) {
    work_ += work;
    if (work_ >= kWorkBetweenLooks) look();
    return !stopped();
  }
  // To be called before memory is taken.
  bool afford(std::size_t bytes) {
    if (bytes > limits_.bytes && !stopped()) status_ = Status::kMemoryLimit;
    return !stopped();
  }
  // Lifts all limits but that on memory, so that a stopped search can still be read off.
  void release() {
    limits_.seconds = std::numeric_limits<double>::infinity();
    monitor_ = nullptr;
    status_ = Status::kOptimal;
  }
  bool stopped() const { return status_ != Status::kOptimal; }
  Status status() const { return status_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kWorkBetweenLooks = 300'000;
  static constexpr double kSecondsBetweenReports = 0.05;

  void look() {
    work_ = 0;
    if (stopped() || !state_) return;
    const double now = seconds();
    if (now >= limits_.seconds) status_ = Status::kTimeLimit;
    if (now < next_report_ || !monitor_) return;
    next_report_ = now + kSecondsBetweenReports;
    if (!monitor_(state_())) status_ = Status::kInterrupted;
  }

  Limits limits_;
  Monitor monitor_;
  std::function<Progress()> state_;
  Clock::time_point start_;
  double next_report_ = kSecondsBetweenReports;
  std::size_t work_ = 0;
  Status status_ = Status::kOptimal;
};

}  // namespace optitree
