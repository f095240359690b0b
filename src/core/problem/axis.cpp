#include "problem/axis.hpp"

namespace optitree {

void Axis::link(const Chains& all) {
  heads.assign(mask.size(), 0);
  chains.clear();
  const auto size = static_cast<std::uint32_t>(features.size());
  for (std::uint32_t begin = 0; begin < size;) {
    const Chain& chain = all.of(features[begin]);
    std::uint32_t end = begin + 1;
    while (end < size && features[end] < chain.end) ++end;
    const auto stand_for = [&](std::uint32_t feature, std::uint32_t position) {
      heads[feature / 64] |= std::uint64_t{1} << (feature % 64);
      position_of[feature] = position;
    };
    if (chain.rising) {
      std::uint32_t feature = chain.begin;
      for (std::uint32_t at = begin; at < end; ++at) {
        for (; feature <= features[at]; ++feature) stand_for(feature, at);
      }
    } else {
      std::uint32_t feature = features[begin];
      for (std::uint32_t at = begin; at < end; ++at) {
        const std::uint32_t next = at + 1 < end ? features[at + 1] : chain.end;
        for (; feature < next; ++feature) stand_for(feature, at);
      }
    }
    if (end - begin > 1) chains.push_back({begin, end, chain.rising});
    begin = end;
  }
}

}  // namespace optitree
