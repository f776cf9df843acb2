// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/wire_device.hpp"

#include <string>

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

void add_widened(kernels::Space const& exec, Bf16 const* from, float* to, std::size_t count, float factor) {
  static const std::string label = "ddproxy::unpack_and_add";  // too long for a string without an allocation
  Kokkos::parallel_for(
      label, all(exec, count), KOKKOS_LAMBDA(Index i) { to[i] += from_bf16(from[i]) * factor; });
}

}  // namespace

DeviceWire::DeviceWire(std::size_t most_elements)
    : message_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "message"), most_elements) {}

void DeviceWire::pack(kernels::Space const& exec, float const* values, Slice to) {
  if (to.count > 0) round_all(exec, values, message_.data() + to.offset, to.count);
}

void DeviceWire::unpack(kernels::Space const& exec, float* values, Slice from, float factor,
                        bool adds) const {
  const auto convert = adds ? add_widened : widen_all;
  if (from.count > 0) convert(exec, message_.data() + from.offset, values, from.count, factor);
}

void add_on_device(kernels::Space const& exec, float const* from, float* to, std::size_t count) {
  Kokkos::parallel_for(
      "ddproxy::add", all(exec, count), KOKKOS_LAMBDA(Index i) { to[i] += from[i]; });
}

}  // namespace ddproxy
