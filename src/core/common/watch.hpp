// Time limit, memory limit and stop request, looked at every fraction of a millisecond of work.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace optitree {

// kPrecisionLimit: the search was over, but what rounding did to the costs is more than the proof
// allows for. No other limit is claimed that did not come.
enum class Status { kOptimal, kTimeLimit, kMemoryLimit, kPrecisionLimit, kInterrupted };

struct Limits {
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

// What a search has taken.
struct Effort {
  double seconds = 0;
  std::uint64_t solved = 0;  // subproblems
  std::uint64_t cached = 0;
  std::size_t bytes = 0;
};

// The state of a search: costs above the floor, in units of the root loss.
struct Progress : Effort {
  double lower = 0;
  double upper = 0;
  // No tree with so many splits on the way to a leaf, or fewer, is below `upper`.
  std::uint16_t proven_depth = 0;
};

// Called every so often with the state of the search; returning false asks it to stop.
using Monitor = std::function<bool(const Progress&)>;

// Shared by the threads of a search. Once stopped it stays stopped, for the first of all reasons.
class Watch {
 public:
  Watch(const Limits& limits, Monitor monitor)
      : limits_(limits), monitor_(std::move(monitor)), start_(Clock::now()) {}

  // Tells the watch how to see the state of the search.
  void observe(std::function<Progress()> state) { state_ = std::move(state); }

  // Looks at the clock and calls the monitor if it is time to. Only the thread that started the
  // search may: the monitor may want to know of signals.
  void look() {
    if (stopped() || !state_) return;
    const double now = seconds();
    const bool over = now >= limits_.seconds;
    // A request to stop that came just before the end of the time is one all the same.
    if (monitor_ && (over || now >= next_report_)) {
      next_report_ = now + kSecondsBetweenReports;
      if (!monitor_(state_())) stop(Status::kInterrupted);
    }
    if (over) stop(Status::kTimeLimit);
  }
  // To be called before memory is taken; false if there is not so much left.
  bool take(std::size_t bytes) {
    if (bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limits_.bytes) return true;
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    stop(Status::kMemoryLimit);
    return false;
  }
  void give_back(std::size_t bytes) { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Goes on for so long at most, whatever stopped it, so that a stopped search can be read off. The
  // limit on memory stays.
  void extend(double more_seconds) {
    limits_.seconds = seconds() + more_seconds;
    monitor_ = nullptr;
    status_ = Status::kOptimal;
  }
  // Lasts until then, in seconds since it began; goes on if nothing but the time has stopped it.
  void last_until(double seconds) {
    limits_.seconds = seconds;
    Status over = Status::kTimeLimit;
    status_.compare_exchange_strong(over, Status::kOptimal, std::memory_order_relaxed);
  }
  bool stopped() const { return status() != Status::kOptimal; }
  Status status() const { return status_.load(std::memory_order_relaxed); }
  // The time there is in all.
  double time_limit() const { return limits_.seconds; }
  double seconds_left() const { return limits_.seconds - seconds(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kSecondsBetweenReports = 0.05;

  void stop(Status reason) {
    Status none = Status::kOptimal;
    status_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
  }

  Limits limits_;
  Monitor monitor_;
  std::function<Progress()> state_;
  Clock::time_point start_;
  double next_report_ = kSecondsBetweenReports;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<Status> status_ = Status::kOptimal;
};

// Memory taken from a watch, given back in the end.
class Loan {
 public:
  explicit Loan(Watch& watch) : watch_(&watch) {}
  Loan(Loan&& other) noexcept : watch_(other.watch_), bytes_(std::exchange(other.bytes_, 0)) {}
  Loan& operator=(Loan&& other) noexcept {
    std::swap(watch_, other.watch_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Loan() { watch_->give_back(bytes_); }

  // False if there is not so much left.
  bool take(std::size_t bytes) {
    if (!watch_->take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  void give_back(std::size_t bytes) {
    bytes_ -= bytes;
    watch_->give_back(bytes);
  }
  // For so many more values. While they move both rooms are there, and both are counted.
  template <typename T>
  bool make_room(std::vector<T>& values, std::size_t more) {
    const std::size_t before = values.capacity(), needed = values.size() + more;
    if (needed <= before) return true;
    const std::size_t room = std::max(needed, before + before / 2);
    if (!take(room * sizeof(T))) return false;
    values.reserve(room);
    give_back(before * sizeof(T));
    return true;
  }

 private:
  Watch* watch_;
  std::size_t bytes_ = 0;
};

// The work of one thread, in units of about a nanosecond, and when to unwind: because the watch has
// stopped, because another thread says so, or because it has done what it was asked to do for now.
class Pace {
 public:
  Pace(Watch& watch, const std::atomic<bool>& unwind, bool leads)
      : watch_(watch), unwind_(unwind), leads_(leads) {}

  // To be called with the work done since the last call. False if it is time to unwind.
  bool spend(std::size_t work) {
    spent_ += work;
    if (leads_ && spent_ >= next_look_) {
      next_look_ = spent_ + kWorkBetweenLooks;
      watch_.look();
    }
    return !halted();
  }
  // Memory for what this thread keeps to the end; false if there is not so much left.
  bool take(std::size_t bytes) { return watch_.take(bytes); }
  std::size_t spent() const { return spent_; }
  // Unwinds after so much work in all.
  void pause_at(std::size_t work) { pause_at_ = work; }
  void never_pause() { pause_at_ = std::numeric_limits<std::size_t>::max(); }
  // Whether the search is over: work that would be lost goes on until then.
  bool stopped() const { return watch_.stopped(); }
  bool halted() const {
    return spent_ >= pause_at_ || watch_.stopped() || unwind_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kWorkBetweenLooks = 300'000;

  Watch& watch_;
  const std::atomic<bool>& unwind_;
  const bool leads_;
  std::size_t spent_ = 0;
  std::size_t next_look_ = kWorkBetweenLooks;
  std::size_t pause_at_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace optitree
