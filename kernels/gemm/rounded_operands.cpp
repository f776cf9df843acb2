// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/rounded_operands.hpp"

#include "kernels/base/teams.hpp"
#include "kernels/sizes/scratch.hpp"

namespace ddproxy::kernels {
namespace {

/// Rounds one row. The threads of the team share it, two neighbouring elements at a time.
struct RoundRow {
  float const* from;
  Index from_stride;
  Index columns;
  std::uint32_t* to;  ///< two elements of the copy
  Index to_stride;    ///< in pairs of elements

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    float const* const in = from + team.league_rank() * from_stride;
    std::uint32_t* const out = to + team.league_rank() * to_stride;
    const Index last = columns - 1;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, to_stride), [=](Index pair) {
      const Index i = 2 * pair;
      out[pair] = to_two_bf16(i <= last ? in[i] : 0.0F, i < last ? in[i + 1] : 0.0F);
    });
  }
};

}  // namespace

Bf16* RoundedOperands::memory_for(Space const& exec, Slot slot, Index elements) {
  auto& memory = memories_[slot];
  if (memory.extent_int(0) < elements) {
    exec.fence("RoundedOperands: earlier products use the memory that is freed");
    memory = {};
    memory = Memories(Kokkos::view_alloc(Kokkos::WithoutInitializing, "rounded operands"),
                      static_cast<std::size_t>(elements));
  }
  return memory.data();
}

RoundedOperands::Copy RoundedOperands::round(Space const& exec, Slot slot, Index rows, Index columns,
                                             Matrix const& m) {
  const Index stride = bf16_stride(columns);
  Bf16* const to = memory_for(exec, slot, rows * stride);
  Kokkos::parallel_for("round to bf16", teams_of_rows(exec, rows, columns),
                       RoundRow{m.data, m.stride, columns, reinterpret_cast<std::uint32_t*>(to), stride / 2});
  copies_[slot] = {to, stride};
  return copies_[slot];
}

void RoundedOperands::clear() {
  memories_ = {};
}

}  // namespace ddproxy::kernels
