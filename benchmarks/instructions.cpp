// One search without Python, for `benchmarks.instructions` to count under callgrind:
//
//   instructions FILE REGULARIZATION MAX_DEPTH      (MAX_DEPTH -1: no limit)
//
// FILE starts with a line "groups words features"; then come, as raw 64-bit numbers, the bits of
// all groups, their weights, means, scatters and rows. What it prints is a line of JSON.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "answers/solve.hpp"
#include "costs/losses.hpp"

namespace {

struct File {
  std::size_t features = 0;
  std::vector<std::uint64_t> bits;
  std::vector<double> weight, mean, scatter, rows;

  optitree::GroupData table() const { return {bits, weight, mean, scatter, rows, features}; }
};

template <typename T>
void fill(std::istream& in, std::vector<T>& values, std::size_t count) {
  values.resize(count);
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

File read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::size_t groups = 0, words = 0;
  File file;
  in >> groups >> words >> file.features;
  in.get();  // the end of the line
  if (in) {
    fill(in, file.bits, groups * words);
    for (auto* values : {&file.weight, &file.mean, &file.scatter, &file.rows}) {
      fill(in, *values, groups);
    }
  }
  if (!in) {
    std::cerr << path << " is not a file of groups\n";
    std::exit(2);
  }
  return file;
}

}  // namespace

// The only part that is counted, and the only call of the core. Its name must survive optimisation:
// callgrind starts and stops counting by it.
extern "C" __attribute__((noinline, noclone)) void counted_search(const optitree::Task& task,
                                                                  optitree::Solution& solution) {
  solution = optitree::solve(task);
}

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "instructions FILE REGULARIZATION MAX_DEPTH\n";
    return 2;
  }
  const File file = read(arguments[1]);
  const int depth = std::stoi(arguments[3]);
  const optitree::Restrictions restrictions{
      std::stod(arguments[2]),
      depth < 0 ? optitree::kNoDepthLimit : static_cast<optitree::Depth>(depth), 1};
  optitree::Solution solution{};
  counted_search({file.table(), restrictions, optitree::make_loss("squared", {})}, solution);
  std::cout << std::setprecision(17) << "{\"optimal\": "
            << (solution.status == optitree::Status::kOptimal ? "true" : "false")
            << ", \"objective\": " << solution.objective
            << ", \"leaves\": " << solution.tree.leaves()
            << ", \"subproblems\": " << solution.effort.solved
            << ", \"seconds\": " << solution.effort.seconds << ", \"compiler\": \"" << __VERSION__
            << "\"}\n";
  return 0;
}
