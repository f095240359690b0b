// Which subproblems the threads of a search are at, so that each finds something else to do.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "problem/problem.hpp"

namespace optitree {

// Advice, never relied upon: two subproblems may share a place, and a thread may look a moment too
// early. All that happens is that work is put off, or done twice.
class InProgress {
 public:
  // A subproblem is marked as long as one of these is there. Nothing is marked in null.
  class Mark {
   public:
    Mark(InProgress* table, std::uint64_t hash, Depth depth)
        : place_(table == nullptr ? nullptr : &table->place(hash, depth)), key_(key(hash, depth)) {
      if (place_ != nullptr) place_->store(key_, relaxed);
    }
    ~Mark() {
      std::uint64_t mine = key_;
      if (place_ != nullptr) place_->compare_exchange_strong(mine, 0, relaxed);
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    std::atomic<std::uint64_t>* place_;
    std::uint64_t key_;
  };

  bool has(std::uint64_t hash, Depth depth) const {
    return places_[key(hash, depth) % kPlaces].load(relaxed) == key(hash, depth);
  }

 private:
  static constexpr std::size_t kPlaces = 1024;
  static constexpr auto relaxed = std::memory_order_relaxed;

  static std::uint64_t key(std::uint64_t hash, Depth depth) { return hash + depth; }
  std::atomic<std::uint64_t>& place(std::uint64_t hash, Depth depth) {
    return places_[key(hash, depth) % kPlaces];
  }

  std::array<std::atomic<std::uint64_t>, kPlaces> places_{};
};

}  // namespace optitree
