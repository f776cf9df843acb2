// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/wire_device.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ddproxy {
namespace {

using Host = Kokkos::HostSpace;

// Returns numbers of both signs and many magnitudes. Some lie halfway between two bf16 numbers.
kernels::HostFloats numbers(std::size_t count) {
  std::mt19937 engine(1);
  kernels::HostFloats values("numbers", count);
  for (std::size_t i = 0; i < count; ++i) {
    const float size = std::ldexp(1.0F, static_cast<int>(engine() % 40) - 30);
    const float fraction = static_cast<float>(engine() % 512) / 256;  // nine bits; bf16 has eight
    values(i) = size * (i % 2 == 0 ? 1 + fraction / 2 : static_cast<float>(engine() % 20001) / 10000 - 1);
  }
  return values;
}

TEST(DeviceWire, RoundsEachValueAndGivesItBackTimesTheFactor) {
  const kernels::Space exec;
  DeviceWire wire(3000);
  for (const std::size_t count : {1000, 70, 3000}) {
    const auto before = numbers(count);
    const kernels::Floats mine("values", count);
    Kokkos::deep_copy(mine, before);
    wire.pack(exec, mine.data(), {3000 - count, count});
    const Kokkos::View<Bf16*, kernels::Memory> sent(wire.data() + 3000 - count, count);
    Kokkos::deep_copy(exec, mine, std::nanf(""));
    wire.unpack(exec, mine.data(), {3000 - count, count}, 0.25F);
    exec.fence();
    const auto message = Kokkos::create_mirror_view_and_copy(Host(), sent);
    const auto after = Kokkos::create_mirror_view_and_copy(Host(), mine);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(message(i), to_bf16(before(i)));
      ASSERT_EQ(after(i), from_bf16(to_bf16(before(i))) / 4);
    }
  }
}

}  // namespace
}  // namespace ddproxy
