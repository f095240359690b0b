#include "costs/squared/kmeans.hpp"

#include <algorithm>

#include "costs/leaf_bounds.hpp"

namespace optitree {

namespace {

constexpr std::size_t kPadded = kMostBuckets + 4;

// The buckets of a support, in the form the recursion reads. With W, S, Q the sums of weight, sum
// and square over the first buckets, the cluster of the buckets i..j-1 has, its ends moved inwards,
//   weight W[j] - W[i],  sum first_sum[i] + last_sum[j],  square first_square[i] + last_square[j].
struct Buckets {
  std::size_t count;
  alignas(32) double weight[kPadded];  // W
  alignas(32) double first_sum[kPadded];
  alignas(32) double first_square[kPadded];
  double last_sum[kPadded];
  double last_square[kPadded];
};

OPTITREE_MULTIVERSION
void fill(const Problem& problem, Members members, Buckets& buckets) {
  const std::size_t count = buckets.count = std::min(members.size(), kMostBuckets);
  Cell before{}, upto{};
  std::size_t begin = 0;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t end = members.size() * (b + 1) / count;
    for (std::size_t k = begin; k < end; ++k) upto = upto + problem.cell(members[k]);
    const double weight = upto.weight() - before.weight();
    const double low = problem.mean(members[begin]);
    const double high = problem.mean(members[end - 1]);
    buckets.weight[b] = before.weight();
    buckets.first_sum[b] = weight * high - upto.sum();
    buckets.first_square[b] = weight * high * high - upto.square();
    buckets.last_sum[b + 1] = weight * low + before.sum();
    buckets.last_square[b + 1] = weight * low * low + before.square();
    before = upto;
    begin = end;
  }
  buckets.weight[count] = before.weight();
  for (std::size_t b = count; b < count + 4; ++b) {  // read four at a time, never chosen
    if (b > count) buckets.weight[b] = 0;
    buckets.first_sum[b] = 0;
  }
}

// best[j] = cost of the first j buckets. Written without branches: four clusters at a time.
OPTITREE_MULTIVERSION
double penalised_clustering(const Buckets& buckets, double lambda) {
  // best[i] + first_square[i], infinite where the cluster i..j-1 has fewer than two buckets
  alignas(32) double start[kPadded];
  std::fill(start, start + kPadded, kInfinity);
  double before = 0;  // best[j - 1]
  double two_before = 0;
  for (std::size_t j = 1; j <= buckets.count; ++j) {
    if (j >= 2) start[j - 2] = two_before + buckets.first_square[j - 2];
    const Lanes weight = Lanes{} + buckets.weight[j];
    const Lanes sum = Lanes{} + buckets.last_sum[j];
    Lanes least = Lanes{} + kInfinity;
    for (std::size_t i = 0; i + 1 < j; i += kLanes) {
      const Lanes s = *reinterpret_cast<const Lanes*>(buckets.first_sum + i) + sum;
      const Lanes w = weight - *reinterpret_cast<const Lanes*>(buckets.weight + i);
      const Lanes cost = *reinterpret_cast<const Lanes*>(start + i) - s * s / w;
      least = cost < least ? cost : least;
    }
    const double pair = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    // The last bucket may also stand alone, without loss.
    const double cheapest = std::min(before, pair + buckets.last_square[j]);
    two_before = before;
    before = cheapest + lambda;
  }
  return before;
}

}  // namespace

double kmeans_bound(const Problem& problem, Members members) {
  Buckets buckets;
  fill(problem, members, buckets);
  return penalised_clustering(buckets, problem.regularization());
}

}  // namespace optitree
