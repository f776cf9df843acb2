// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

// What all kernels have in common. Every function takes the execution-space instance first and is
// asynchronous where that is: it returns when the work is enqueued. Pointers are to memory that the space can
// reach; arrays are dense and row-major, their shapes stand in brackets. "assigned" outputs need no initial
// value, "accumulated" ones are added to. Letters: N tokens (B sequences of length T), C features, V
// vocabulary, H heads.
namespace ddproxy::kernels {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
using Floats = Kokkos::View<float*, Memory>;
using HostFloats = Kokkos::View<float*, Kokkos::HostSpace>;
using TokenIds = Kokkos::View<int*, Memory>;
using Index = std::int64_t;

/// Whether the space computes in a device's own memory.
inline constexpr bool on_device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

using Teams = Kokkos::TeamPolicy<Space>;
using Team = Teams::member_type;
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>;

}  // namespace ddproxy::kernels
