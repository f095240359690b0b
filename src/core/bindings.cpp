// The one place where Python and C++ meet: contiguous arrays in, a solution out.
#include "bindings.hpp"

NB_MODULE(_core, module) {
  optitree::bind_tables(module);
  optitree::bind_answers(module);
  optitree::bind_tasks(module);
}
