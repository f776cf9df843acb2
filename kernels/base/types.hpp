// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <span>

#include "kernels/sizes/scratch.hpp"

// Conventions that all kernels share. Every function takes the execution-space instance as its first
// argument. If the instance is asynchronous, the function returns when the work is enqueued. Pointers refer
// to memory that the execution space can access. The caller keeps that memory alive until the work has
// completed. Arrays are dense and row-major; comments give their shapes in brackets. An "assigned" output
// needs no initial value. An "accumulated" output is added to. Letters in shapes: N tokens (B sequences of
// length T, so N = B T), C features, V vocabulary size, H heads.
namespace ddproxy::kernels {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
using Floats = Kokkos::View<float*, Memory>;
using HostFloats = Kokkos::View<float*, Kokkos::HostSpace>;

/// Returns a view of elements in the memory of the kernels. The caller keeps the elements alive.
inline Floats view_of(std::span<float> elements) {
  return Floats(elements.data(), elements.size());
}
/// Returns the elements of a view. They stay valid as long as the memory of the view exists.
template <typename MemorySpace>
std::span<float> elements_of(Kokkos::View<float*, MemorySpace> const& view) {
  return {view.data(), view.size()};
}

using TokenIds = Kokkos::View<int*, Memory>;

/// True if the execution space computes in a device's own memory, which the host cannot access.
inline constexpr bool on_device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

using Teams = Kokkos::TeamPolicy<Space>;
using Team = Teams::member_type;
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>;

}  // namespace ddproxy::kernels
