// Sorting that can be stopped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "common/watch.hpp"

namespace optitree {

// Sorts pieces, then merges them, and spends the work of each so many values. False if it is time
// to unwind; the order is then any. The buffer is as long as the values; `work` is that of one
// comparison.
template <typename T, typename Less>
bool paced_sort(std::span<T> values, std::span<T> buffer, Less less, Pace& pace, std::size_t work) {
  constexpr std::size_t kPiece = 1024, kComparisonsOfPiece = 10;
  const std::size_t count = values.size();
  for (std::size_t begin = 0; begin < count; begin += kPiece) {
    const std::size_t end = std::min(begin + kPiece, count);
    std::sort(values.begin() + begin, values.begin() + end, less);
    if (!pace.spend((end - begin) * kComparisonsOfPiece * work)) return false;
  }
  std::span<T> from = values, to = buffer.first(count);
  for (std::size_t width = kPiece; width < count; width *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, count);
      const std::size_t end = std::min(middle + width, count);
      std::size_t a = begin, b = middle;
      for (std::size_t at = begin; at < end; ++at) {
        const bool second = a == middle || (b < end && less(from[b], from[a]));
        to[at] = second ? from[b++] : from[a++];
        if (at % kPiece == 0 && !pace.spend(kPiece * work)) return false;
      }
    }
    std::swap(from, to);
  }
  if (from.data() != values.data()) std::copy(from.begin(), from.end(), values.begin());
  return true;
}

}  // namespace optitree
