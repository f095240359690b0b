#include "costs/losses.hpp"

#include "costs/pinball/pinball_loss.hpp"
#include "costs/squared/squared_error.hpp"

namespace optitree {

std::unique_ptr<const Loss> make_loss(std::string_view name, std::span<const double> parameters) {
  if (name == "squared" && parameters.empty()) return std::make_unique<SquaredError>();
  if (name == "pinball" && parameters.size() == 2) {
    return std::make_unique<PinballLoss>(PinballRates{parameters[0], parameters[1]});
  }
  return nullptr;
}

}  // namespace optitree
