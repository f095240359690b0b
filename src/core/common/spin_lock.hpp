// A lock that waits by yielding: it is held for a fraction of a microsecond.
#pragma once

#include <atomic>
#include <thread>

namespace optitree {

class SpinLock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

}  // namespace optitree
