// All that a search is given.
#pragma once

#include <cstddef>
#include <memory>

#include "common/options.hpp"
#include "common/watch.hpp"
#include "costs/loss.hpp"
#include "problem/group_data.hpp"
#include "problem/restrictions.hpp"

namespace optitree {

struct Task {
  GroupData table;
  Restrictions restrictions;
  std::shared_ptr<const Loss> loss;
  Limits limits{};
  Options options{};
  std::size_t threads = 1;
  Monitor monitor{};
};

}  // namespace optitree
