// Values that columns of tests are made of.
#pragma once

#include <cstddef>
#include <limits>
#include <random>
#include <vector>

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Few distinct values, so that values meet cuts, among them both zeros and NaN.
inline std::vector<double> random_values(std::mt19937& random, std::size_t size, int most) {
  std::uniform_int_distribution<int> whole(-most, most);
  std::vector<double> values;
  while (values.size() < size) {
    const int value = whole(random);
    if (value == most) values.push_back(kNan);
    else values.push_back(value == 0 && random() % 2 == 0 ? -0.0 : value / 4.0);
  }
  return values;
}
