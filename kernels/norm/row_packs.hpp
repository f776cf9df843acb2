// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/norm/row_sums.hpp"

// Rows in packs of several numbers, for the kernels of row_sums_device.cpp and norm_backward_device.cpp.
namespace ddproxy::kernels::devices {

/// `width` neighbouring numbers of a row, which a device reads with one instruction.
template <int width>
struct alignas(width * sizeof(float)) Pack {
  float of[width];
};

template <int width>
KOKKOS_FUNCTION Pack<width> const* packs(float const* row) {
  return reinterpret_cast<Pack<width> const*>(row);
}
template <int width>
KOKKOS_FUNCTION Pack<width>* packs(float* row) {
  return reinterpret_cast<Pack<width>*>(row);
}

/// Returns whether rows of `columns` numbers consist of whole packs of four that are aligned in all arrays.
template <class... Arrays>
bool packs_of_four(Index columns, Arrays const*... arrays) {
  return columns % 4 == 0 && ((reinterpret_cast<std::uintptr_t>(arrays) % sizeof(Pack<4>) == 0) && ...);
}

/// Returns a policy of one work item for each `width` columns of each part.
inline Range items(Space const& exec, RowParts const& size, int width) {
  return {exec, 0, size.parts * size.columns / width};
}

}  // namespace ddproxy::kernels::devices
