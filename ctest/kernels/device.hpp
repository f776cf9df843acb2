// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"

// Copies arrays between the reference loops and the kernels, and makes test data.
namespace ddproxy::kernels {

inline std::vector<float> to_host(Floats const& values) {
  std::vector<float> copy(values.size());
  Kokkos::deep_copy(Kokkos::View<float*, Kokkos::HostSpace>(copy.data(), copy.size()), values);
  return copy;
}

inline Floats to_space(std::vector<double> const& values) {
  Kokkos::View<float*, Kokkos::HostSpace> host("values", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<float>(values[i]);
  Floats copy("values", values.size());
  Kokkos::deep_copy(copy, host);
  return copy;
}

/// Returns an array of NaN, for outputs and scratch memory. A test then fails if a kernel reads an element
/// before it assigns it, or does not assign an element of an output.
inline Floats poisoned(std::size_t count) {
  Floats values("poisoned", count);
  Kokkos::deep_copy(values, std::numeric_limits<float>::quiet_NaN());
  return values;
}

/// Returns reproducible numbers in [-1, 1) that float represents exactly. Each `stream` has other numbers.
inline std::vector<double> numbers(std::size_t count, unsigned stream) {
  std::vector<double> values(count);
  unsigned state = stream * 2654435761U + 12345U;
  for (double& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<double>(static_cast<int>(state >> 9) - (1 << 22)) / (1 << 22);
  }
  return values;
}

/// Returns tokens below `vocabulary`, some of which are equal.
inline std::vector<int> some_tokens(std::size_t count, int vocabulary) {
  std::vector<int> tokens(count);
  for (std::size_t n = 0; n < count; ++n)
    tokens[n] = static_cast<int>((n * n * 3 + 5 * n + 1) % static_cast<std::size_t>(vocabulary));
  return tokens;
}

}  // namespace ddproxy::kernels
