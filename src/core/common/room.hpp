// Scratch that is written anew again and again.
#pragma once

#include <cstddef>
#include <vector>

namespace optitree {

// Vectors only grow: refilling them would take longer than what is done with most.
template <typename T>
void make_room(std::vector<T>& values, std::size_t size) {
  if (values.size() < size) values.resize(size);
}

}  // namespace optitree
