// Lower bounds of one subproblem at the regularizations at which it was met before.
#pragma once

#include <cstddef>

namespace optitree {

// The cost V of the best tree on a support is a concave function of the regularization r: it is the
// smallest of the lines loss(T) + r leaves(T), one for each tree T. So with V(a) >= A, V(b) >= B:
//   a <= r <= b:  V(r) >= the line through (a, A) and (b, B) at r   (it is concave)
//   r <= b:       V(r) >= B r / b            (the same with a = 0, V(0) >= 0)
//   r >= a:       V(r) >= A + (r - a)        (a tree has a leaf at least)
class BoundsByRegularization {
 public:
  // Adds that V(from) >= lower. Returns a lower bound on V(to).
  double change(double lower, double from, double to);

 private:
  static constexpr std::size_t kMost = 8;
  struct LowerAt {
    double regularization, lower;
  };

  void add(const LowerAt& known);
  double at(double regularization) const;

  LowerAt known_[kMost];  // by regularization
  std::size_t size_ = 0;
};

}  // namespace optitree
