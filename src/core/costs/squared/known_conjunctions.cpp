#include "costs/squared/known_conjunctions.hpp"

namespace optitree {

namespace {

constexpr double kSlack = 1e-4;  // share of lambda
constexpr std::size_t kMostGroups = std::size_t{1} << 23;

}  // namespace

double KnownConjunctions::less_slack(double cost, double lambda) { return cost - kSlack * lambda; }

bool KnownConjunctions::begin(double cost, double lambda, std::uint64_t hash) {
  if (groups_.size() > kMostGroups || !hashes_.insert(hash).second) return false;
  known_.push_back({less_slack(cost, lambda), hash, groups_.size(), groups_.size(), true});
  return true;
}

void KnownConjunctions::add(Members groups) {
  groups_.insert(groups_.end(), groups.begin(), groups.end());
  known_.back().end = groups_.size();
}

void KnownConjunctions::begin_ascent() {
  for (KnownConjunction& known : known_) known.useful = false;
}

void KnownConjunctions::repair(std::vector<double>& price) {
  for (KnownConjunction& known : known_) {
    double sum = 0;
    for (std::size_t k = known.begin; k < known.end; ++k) sum += price[groups_[k]];
    if (sum <= known.cost) continue;
    known.useful = true;
    const double factor = known.cost / sum;
    for (std::size_t k = known.begin; k < known.end; ++k) price[groups_[k]] *= factor;
  }
}

void KnownConjunctions::forget_useless() {
  std::size_t end = 0;
  for (KnownConjunction& known : known_) {
    if (!known.useful) {
      hashes_.erase(known.hash);
      continue;
    }
    const std::size_t begin = end;
    for (std::size_t k = known.begin; k < known.end; ++k) groups_[end++] = groups_[k];
    known.begin = begin;
    known.end = end;
  }
  groups_.resize(end);
  std::erase_if(known_, [](const KnownConjunction& known) { return !known.useful; });
}

void KnownConjunctions::change_regularization(double from, double to) {
  for (KnownConjunction& known : known_) known.cost += (1 - kSlack) * (to - from);
}

}  // namespace optitree
