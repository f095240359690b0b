// What is kept of nodes that were met before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/node.hpp"

namespace optitree {

// Found by the groups of a node and its remaining depth, compared in full.
template <typename Value>
class NodeMap {
 public:
  Value* find(const Node& node) {
    const auto [begin, end] = entries_.equal_range(node.hash);
    for (auto at = begin; at != end; ++at) {
      Kept& kept = at->second;
      if (kept.depth == node.depth && std::ranges::equal(kept.members, node.members)) {
        return &kept.value;
      }
    }
    return nullptr;
  }
  // The value stays where it is.
  Value& add(const Node& node, Value value) {
    return entries_
        .emplace(node.hash,
                 Kept{{node.members.begin(), node.members.end()}, node.depth, std::move(value)})
        ->second.value;
  }
  static std::size_t bytes(const Node& node) {
    return sizeof(Kept) + node.members.size() * sizeof(std::uint32_t);
  }

 private:
  struct Kept {
    std::vector<std::uint32_t> members;
    Depth depth;
    Value value;
  };
  std::unordered_multimap<std::uint64_t, Kept> entries_;
};

}  // namespace optitree
