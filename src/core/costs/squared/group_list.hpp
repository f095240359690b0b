// A list of groups that is written anew again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/problem.hpp"

namespace optitree {

// It grows, but never shrinks or refills.
class GroupList {
 public:
  std::uint32_t* room_for(std::size_t most) {
    if (storage_.size() < most) storage_.resize(most);
    return storage_.data();
  }
  void ends_at(const std::uint32_t* end) {
    size_ = static_cast<std::size_t>(end - storage_.data());
  }
  std::uint32_t* begin() { return storage_.data(); }
  const std::uint32_t* begin() const { return storage_.data(); }
  const std::uint32_t* end() const { return storage_.data() + size_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return storage_.capacity() * sizeof(std::uint32_t); }
  operator Members() const { return {begin(), end()}; }

 private:
  std::vector<std::uint32_t> storage_;
  std::size_t size_ = 0;
};

// Moves the groups for which `stays` is false to the end of another list.
template <typename Stays>
void move_unless(GroupList& list, GroupList& to, Stays stays) {
  std::uint32_t* moved = to.room_for(to.size() + list.size()) + to.size();
  std::uint32_t* kept = list.begin();
  for (const std::uint32_t g : list) {
    const bool stay = stays(g);
    *kept = *moved = g;
    kept += stay;
    moved += !stay;
  }
  list.ends_at(kept);
  to.ends_at(moved);
}

// Writes a list anew with the groups of another for which `stays` is true.
template <typename Stays>
void copy_if(const GroupList& from, GroupList& to, Stays stays) {
  std::uint32_t* kept = to.room_for(from.size());
  for (const std::uint32_t g : from) {  // no branch: which side a group takes is random
    *kept = g;
    kept += stays(g);
  }
  to.ends_at(kept);
}

}  // namespace optitree
