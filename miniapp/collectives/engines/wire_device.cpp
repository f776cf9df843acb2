// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/wire_device.hpp"

namespace ddproxy {
namespace {

using kernels::Index;

kernels::Range all(kernels::Space const& exec, std::size_t count) {
  return {exec, 0, static_cast<Index>(count)};
}

void round_all(kernels::Space const& exec, float const* from, Bf16* to, std::size_t count) {
  Kokkos::parallel_for(
      "ddproxy::pack", all(exec, count), KOKKOS_LAMBDA(Index i) { to[i] = to_bf16(from[i]); });
}

void widen_all(kernels::Space const& exec, Bf16 const* from, float* to, std::size_t count, float factor) {
  Kokkos::parallel_for(
      "ddproxy::unpack", all(exec, count), KOKKOS_LAMBDA(Index i) { to[i] = from_bf16(from[i]) * factor; });
}

}  // namespace

DeviceWire::DeviceWire(std::size_t most_elements)
    : message_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "message"), most_elements) {}

Bf16* DeviceWire::pack(kernels::Space const& exec, float const* values, std::size_t count) {
  round_all(exec, values, message_.data(), count);
  return message_.data();
}

void DeviceWire::unpack(kernels::Space const& exec, float* values, std::size_t count, float factor) const {
  widen_all(exec, message_.data(), values, count, factor);
}

}  // namespace ddproxy
