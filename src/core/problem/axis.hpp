// The features of a pair table, each at its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/chains.hpp"

namespace optitree {

struct Axis {
  std::vector<std::uint32_t> features;     // by position, ascending
  std::vector<std::uint64_t> mask;         // the same as bits
  std::vector<std::uint32_t> position_of;  // of a feature that is among them, or stands for one

  // After link(): chains of two or more positions. A feature that is not on the axis may be a head;
  // the next of its chain that is on it then stands for it. All that stand for something:
  std::vector<std::uint64_t> heads;
  std::vector<Chain> chains;

  std::size_t size() const { return features.size(); }
  std::uint32_t operator[](std::size_t position) const { return features[position]; }

  void clear(std::size_t all_features, std::size_t words) {
    features.clear();
    mask.assign(words, 0);
    position_of.resize(all_features);
  }
  void add(std::uint32_t feature) {
    position_of[feature] = static_cast<std::uint32_t>(features.size());
    mask[feature / 64] |= std::uint64_t{1} << (feature % 64);
    features.push_back(feature);
  }
  void link(const Chains& all);
};

}  // namespace optitree
