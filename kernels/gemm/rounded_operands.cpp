// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/rounded_operands.hpp"

#include "kernels/base/teams.hpp"
#include "kernels/sizes/scratch.hpp"

namespace ddproxy::kernels {
namespace {

/// Rounds one row, or writes zeros to a row behind the last one. The threads of the team share the row, two
/// neighbouring elements at a time.
struct RoundRow {
  float const* from;
  Index from_stride;
  Index rows, columns;
  std::uint32_t* to;  ///< the copy; each number holds two elements
  Index to_stride;    ///< in pairs of elements

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = team.league_rank();
    const bool exists = row < rows;
    float const* const in = from + (exists ? row * from_stride : 0);
    std::uint32_t* const out = to + row * to_stride;
    const Index end = exists ? columns : 0;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, to_stride), [=](Index pair) {
      const Index i = 2 * pair;
      out[pair] = to_two_bf16(i < end ? in[i] : 0.0F, i + 1 < end ? in[i + 1] : 0.0F);
    });
  }
};

}  // namespace

Bf16* RoundedOperands::memory_for(Space const& exec, Slot slot, Index elements) {
  auto& memory = memories_[slot];
  if (static_cast<Index>(memory.extent(0)) < elements) {
    exec.fence("RoundedOperands: earlier products use the memory that is freed");
    memory = {};
    memory = Memories(Kokkos::view_alloc(Kokkos::WithoutInitializing, "rounded operands"),
                      static_cast<std::size_t>(elements));
  }
  return memory.data();
}

Bf16* RoundedOperands::reserve(Space const& exec, Slot slot, Index rows, Index columns) {
  Bf16* const memory = memory_for(exec, slot, rows * columns);
  copies_[slot] = {memory, columns};
  return memory;
}

RoundedOperands::Copy RoundedOperands::round(Space const& exec, Slot slot, Index rows, Index columns,
                                             Matrix const& m) {
  const Index stride = padded_for_bf16(columns), all_rows = padded_for_bf16(rows);
  auto* const to = reinterpret_cast<std::uint32_t*>(reserve(exec, slot, all_rows, stride));
  Kokkos::parallel_for("round to bf16", teams_of_rows(exec, all_rows, columns),
                       RoundRow{m.data, m.stride, rows, columns, to, stride / 2});
  return copies_[slot];
}

void RoundedOperands::clear() {
  memories_ = {};
}

}  // namespace ddproxy::kernels
