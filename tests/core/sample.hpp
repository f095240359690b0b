// Random tables for the core's tests, with all the arrays that a search needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "answers/solve.hpp"
#include "costs/squared/squared_error.hpp"
#include "table/grouping.hpp"

// Rows of bits with a target.
struct Sample {
  std::size_t features;
  std::size_t words;
  std::vector<std::uint64_t> bits;
  std::vector<double> target;
  std::vector<double> weight;
  optitree::Restrictions restrictions;
  std::shared_ptr<const optitree::Loss> loss = std::make_shared<optitree::SquaredError>();

  bool holds(std::size_t row, std::size_t f) const {
    return (bits[row * words + f / 64] >> (f % 64)) & 1;
  }
};

// Features are independent, or thresholds or levels of two columns; targets often tie.
Sample random_sample(unsigned seed, std::size_t most_rows, std::size_t most_features);
// Independent features and a target that they say nothing about: a search has no easy way out.
Sample noise(unsigned seed, std::size_t rows, std::size_t features);
// Thresholds of a few columns, asked either way and now and then twice, and levels between them.
Sample columns(unsigned seed);

// The groups of a sample, with all the arrays that a GroupData looks at.
struct Groups {
  explicit Groups(const Sample& sample);
  optitree::GroupData view() const {
    return {bits,     sums.weight, sums.mean, sums.scatter, sums.rows,
            features, point_group, value,     weight};
  }

  std::size_t features;
  std::vector<std::uint64_t> bits;
  optitree::Statistics sums;
  std::vector<std::uint32_t> point_group;  // every row is a point
  std::vector<double> value, weight;
};

// What a search is given, of groups that outlive it.
optitree::Task task_of(const Sample& sample, const Groups& groups);
optitree::Problem problem_of(const Sample& sample, const Groups& groups);

optitree::Solution solve_sample(const Sample& sample, const optitree::Options& options = {},
                                std::size_t threads = 1, const optitree::Limits& limits = {},
                                const optitree::Monitor& monitor = nullptr);

// Equal to the last bit, every node.
bool same_tree(const optitree::Solution& a, const optitree::Solution& b);
