#include "problem/problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

#include "common/sum.hpp"

namespace optitree {

namespace {

std::uint64_t splitmix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// The grid on which sums of absolute value up to `bound` are exact in 52 bits.
double grid_for(double bound) {
  if (bound <= 0) return 1;
  int exponent = 0;
  std::frexp(bound, &exponent);
  return std::ldexp(1.0, exponent - 52);
}

double round_to(double value, double grid) { return std::nearbyint(value / grid) * grid; }

}  // namespace

Problem::Problem(const GroupTable& table, const Restrictions& restrictions)
    : restrictions_(restrictions), features_(table.features), words_(table.words()) {
  choose_size_lane(table);
  if (loss().squared()) {
    sort_by(table, table.mean);
    measure(table);
    restore_order();
  } else {
    measure_points(table);
  }
  encode_features(table);
}

// Order by mean, then by bits: the order of the caller's groups leaves no trace.
void Problem::sort_by(const GroupTable& table, std::span<const double> mean) {
  original_.resize(table.size());
  std::iota(original_.begin(), original_.end(), 0U);
  const auto row = [&](std::uint32_t g) { return table.bits.begin() + g * words_; };
  std::sort(original_.begin(), original_.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (mean[a] != mean[b]) return mean[a] < mean[b];
    return std::lexicographical_compare(row(a), row(a) + words_, row(b), row(b) + words_);
  });
}

// The rarer value of every feature becomes 1, so that groups have short lists of ones.
void Problem::encode_features(const GroupTable& table) {
  std::vector<std::uint32_t> frequency(words_ * 64, 0);
  const auto for_each_bit = [](std::uint64_t bits, std::size_t word, auto visit) {
    for (; bits != 0; bits &= bits - 1) {
      visit(static_cast<std::uint32_t>(word * 64) +
            static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  };
  for (std::size_t at = 0; at < table.size() * words_; ++at) {
    for_each_bit(table.bits[at], at % words_, [&](std::uint32_t f) { ++frequency[f]; });
  }
  flipped_.resize(features_);
  std::vector<std::uint64_t> flip(words_, 0);
  for (std::size_t f = 0; f < features_; ++f) {
    flipped_[f] = 2 * std::size_t{frequency[f]} > table.size();
    flip[f / 64] |= std::uint64_t{flipped_[f]} << (f % 64);
  }
  bits_.resize(table.size() * words_);
  ones_begin_.resize(table.size() + 1);
  ones_.reserve(table.size() * features_ / 2 + 1);
  tags_.resize(table.size());
  for (std::size_t g = 0; g < table.size(); ++g) {
    const std::size_t before = ones_.size();
    for (std::size_t word = 0; word < words_; ++word) {
      const std::uint64_t bits = table.bits[original_[g] * words_ + word] ^ flip[word];
      bits_[g * words_ + word] = bits;
      for_each_bit(bits, word, [&](std::uint32_t f) { ones_.push_back(f); });
    }
    most_ones_ = std::max(most_ones_, ones_.size() - before);
    ones_begin_[g + 1] = static_cast<std::uint32_t>(ones_.size());
    tags_[g] = splitmix(g);
  }
}

void Problem::choose_size_lane(const GroupTable& table) {
  const double rows = restrictions_.min_samples_leaf;
  const double weight_of_row = table.weight[0] / table.rows[0];
  bool proportional = true;
  for (std::size_t g = 0; g < table.size(); ++g) {
    proportional = proportional && table.weight[g] == weight_of_row * table.rows[g];
  }
  if (rows <= 1) {
    least_size_ = std::numeric_limits<double>::min();
  } else if (proportional) {
    least_size_ = weight_of_row * (std::ceil(rows) - 0.5);  // rows are whole numbers
  } else {
    size_lane_ = 3;
    least_size_ = rows;
  }
}

// Centre the means, scale so that the root loss is 1, round to the grids (see problem.hpp).
void Problem::measure(const GroupTable& table) {
  CompensatedSum weight, sum, floor;
  for (const std::uint32_t g : original_) {
    weight.add(table.weight[g]);
    sum.add(table.weight[g] * table.mean[g]);
    floor.add(table.scatter[g]);
  }
  const double centre = sum.value() / weight.value();
  CompensatedSum between, absolute, magnitude;
  for (const std::uint32_t g : original_) {
    const double deviation = table.mean[g] - centre;
    between.add(table.weight[g] * deviation * deviation);
    absolute.add(table.weight[g] * std::abs(deviation));
    magnitude.add(table.weight[g] * table.mean[g] * table.mean[g]);
  }
  floor_ = floor.value();
  // What the rounding of the centre alone leaves of equal means is no loss.
  const bool constant = between.value() <= 1e-30 * magnitude.value();
  total_ = floor_ + (constant ? 0 : between.value());

  const double scale = total_ > 0 ? std::sqrt(total_) : 1;
  const double weight_grid = grid_for(weight.value());
  const double sum_grid = grid_for(absolute.value() / scale);
  const double square_grid = grid_for(1);
  cells_.resize(table.size());
  mean_.resize(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint32_t g = original_[i];
    const double w = std::max(round_to(table.weight[g], weight_grid), weight_grid);
    const double s = round_to(table.weight[g] * (table.mean[g] - centre) / scale, sum_grid);
    cells_[i].lanes =
        Lanes{w, s, round_to(s * s / w, square_grid), size_lane_ == 3 ? table.rows[g] : 0};
    mean_[i] = s / w;
    total_cell_ = total_cell_ + cells_[i];
  }
}

// Order the points, let each group predict for itself, scale so that the root loss is 1.
void Problem::measure_points(const GroupTable& table) {
  CompensatedSum weight;
  for (const double w : table.point_weight) weight.add(w);
  const double weight_grid = grid_for(weight.value());
  for (std::size_t k = 0; k < table.point_value.size(); ++k) {
    const double w = std::max(round_to(table.point_weight[k], weight_grid), weight_grid);
    points_.push_back({table.point_value[k], w, table.point_group[k]});
  }
  std::ranges::sort(points_, {}, &Point::value);
  std::vector<std::vector<Point>> points_of_group(table.size());
  for (const Point& point : points_) points_of_group[point.group].push_back(point);
  std::vector<Prediction> alone;
  std::vector<double> value;
  for (const std::vector<Point>& points : points_of_group) {
    alone.push_back(predict(points, loss()));
    value.push_back(alone.back().value);
  }
  sort_by(table, value);
  std::vector<std::uint32_t> place(table.size());
  for (std::uint32_t i = 0; i < table.size(); ++i) place[original_[i]] = i;
  for (Point& point : points_) point.group = place[point.group];
  std::ranges::sort(points_, {}, [](const Point& point) {  // the caller's order leaves no trace
    return std::tuple(point.value, point.group, point.weight);
  });
  total_ = predict(points_, loss()).loss;
  scale_ = total_ > 0 ? 1 / total_ : 0;

  const double floor_grid = grid_for(1);
  CompensatedSum floor;
  cells_.resize(table.size());
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const std::uint32_t g = original_[i];
    double w = 0;  // on the grid: exact
    for (const Point& point : points_of_group[g]) w += point.weight;
    cells_[i].lanes = Lanes{w, 0, round_to(alone[g].loss * scale_, floor_grid),
                            size_lane_ == 3 ? table.rows[g] : 0};
    floor.add(alone[g].loss);
    mean_.push_back(value[g]);
    slope_.push_back(std::floor(alone[g].slope / weight_grid) * weight_grid);
    total_cell_ = total_cell_ + cells_[i];
  }
  floor_ = floor.value();
}

std::vector<Point> Problem::points_of(Members members) const {
  std::vector<bool> wanted(groups(), false);
  for (const std::uint32_t g : members) wanted[g] = true;
  std::vector<Point> chosen;
  std::ranges::copy_if(points_, std::back_inserter(chosen),
                       [&](const Point& point) { return wanted[point.group]; });
  return chosen;
}

// Where weights differ by many orders of magnitude the rounding moves the means of light groups.
// The k-means bound needs the groups in the order of the means it works with.
void Problem::restore_order() {
  std::vector<std::uint32_t> order(mean_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return mean_[i]; });
  const auto arrange = [&](auto& values) {
    auto arranged = values;
    for (std::size_t i = 0; i < order.size(); ++i) arranged[i] = values[order[i]];
    values = std::move(arranged);
  };
  arrange(original_);
  arrange(cells_);
  arrange(mean_);
}

// Rounded down: prices that are too low are prices all the same.
void Problem::set_prices(std::span<const double> prices) {
  ++times_priced_;
  const double grid = grid_for(1 + restrictions_.regularization);
  for (std::size_t g = 0; g < cells_.size(); ++g) {
    cells_[g].lanes[3] = std::floor(prices[g] / grid) * grid;
  }
}

}  // namespace optitree
