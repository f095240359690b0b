// What the bindings share: the arrays of Python as the core sees them. Only bindings know of them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>

namespace optitree {

namespace nb = nanobind;

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T, typename... Kind>
std::span<const T> view(const nb::ndarray<const T, Kind...>& array) {
  return {array.data(), array.size()};
}

// What happens to a table before the search; what a search is given, and how it is run; what it
// answers.
void bind_tables(nb::module_& module);
void bind_tasks(nb::module_& module);
void bind_answers(nb::module_& module);

}  // namespace optitree
