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
    const float fraction = static_cast<float>(engine() % 512) / 256;  // nine bits; bf16 stores seven
    values(i) = size * (i % 2 == 0 ? 1 + fraction / 2 : static_cast<float>(engine() % 20001) / 10000 - 1);
  }
  return values;
}

TEST(DeviceWire, PackRoundsToBf16AndUnpackMultipliesByTheFactor) {
  const kernels::Space exec;
  DeviceWire wire(3000);
  for (const std::size_t count : {1000, 70, 3000}) {
    const auto before = numbers(count);
    const kernels::Floats mine("values", count);
    Kokkos::deep_copy(mine, before);
    wire.pack(exec, mine.data(), {3000 - count, count});
    const Kokkos::View<Bf16*, kernels::Memory> sent(wire.data() + 3000 - count, count);
    Kokkos::deep_copy(exec, mine, std::nanf(""));
    wire.unpack(exec, mine.data(), {3000 - count, count}, 0.25F, false);
    exec.fence();
    const auto message = Kokkos::create_mirror_view_and_copy(Host(), sent);
    const auto after = Kokkos::create_mirror_view_and_copy(Host(), mine);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(message(i), to_bf16(before(i)));
      ASSERT_EQ(after(i), from_bf16(to_bf16(before(i))) / 4);
    }
  }
}

TEST(DeviceWire, UnpackAndAddOnDeviceAddToTheTarget) {
  const kernels::Space exec;
  DeviceWire wire(100);
  const auto before = numbers(100);
  const kernels::Floats mine("values", 100), more("more", 100);
  Kokkos::deep_copy(mine, before);
  wire.pack(exec, mine.data(), {0, 100});
  wire.unpack(exec, mine.data(), {0, 100}, 0.5F, true);
  Kokkos::deep_copy(exec, more, 3.0F);
  add_on_device(exec, more.data(), mine.data(), 60);
  exec.fence();
  const auto after = Kokkos::create_mirror_view_and_copy(Host(), mine);
  for (std::size_t i = 0; i < 100; ++i) {
    const float sum = before(i) + from_bf16(to_bf16(before(i))) * 0.5F;
    ASSERT_FLOAT_EQ(after(i), i < 60 ? sum + 3 : sum);
  }
}

}  // namespace
}  // namespace ddproxy
