// The groups as the caller hands them over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace optitree {

// The arrays belong to the caller and outlive the search.
struct GroupData {
  std::span<const std::uint64_t> bits;  // groups x words, bit f of a group = feature f holds
  std::span<const double> weight;
  std::span<const double> mean;     // mean target of the group, from an origin near the centre
  std::span<const double> scatter;  // weighted squared deviations from that mean
  std::span<const double> rows;
  std::size_t features;
  // Only for losses that need them: the distinct pairs of a group and a target.
  std::span<const std::uint32_t> point_group{};
  std::span<const double> point_value{};
  std::span<const double> point_weight{};

  std::size_t size() const { return weight.size(); }
  std::size_t words() const { return (features + 63) / 64; }
};

}  // namespace optitree
