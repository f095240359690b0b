// Long work before the search looks up now and then, to hear of a reason to end it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace optitree {

// Counts work in units of about a nanosecond, and calls `look` about twenty times a second, the
// first time after a twentieth: short work is never looked up from. `look` throws to end the work.
// Of a table that is half grouped nothing can be used, so nothing is kept that would have to be
// handed back, as a search does at a limit (watch.hpp).
class Lookout {
 public:
  using Pause = std::chrono::milliseconds;

  Lookout() = default;
  explicit Lookout(std::function<void()> look, Pause between = kBetweenLooks)
      : look_(std::move(look)), between_(between), next_look_(Clock::now() + between) {}

  // To be called with the work done since the last call.
  void spend(std::size_t work) {
    spent_ += work;
    if (spent_ < kWorkBetweenClocks) return;
    spent_ = 0;
    const auto now = Clock::now();
    if (now < next_look_ || !look_) return;
    next_look_ = now + between_;
    look_();
  }
  // Calls work(begin, end) for one piece of `count` items after the other; an item is worth `cost`.
  template <typename Work>
  void in_pieces(std::size_t count, std::size_t cost, const Work& work) {
    for (std::size_t begin = 0; begin < count; begin += kPiece) {
      const std::size_t end = std::min(count, begin + kPiece);
      work(begin, end);
      spend((end - begin) * cost);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Pause kBetweenLooks{50};
  static constexpr std::size_t kWorkBetweenClocks = 1'000'000;
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  std::function<void()> look_;
  std::size_t spent_ = 0;
  Pause between_ = kBetweenLooks;
  Clock::time_point next_look_{};
};

}  // namespace optitree
