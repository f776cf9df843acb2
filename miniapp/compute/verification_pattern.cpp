// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/verification_pattern.hpp"

#include <limits>

#include "kernels/occupy_stream.hpp"

namespace ddproxy {
namespace {

kernels::Range elements(kernels::Space const& exec, Slice slice) {
  return {exec, static_cast<kernels::Index>(slice.offset),
          static_cast<kernels::Index>(slice.offset + slice.count)};
}

// Returns the group that writes f to the element; the other groups write 0. In nearly all runs there is one
// group. The special case for one group saves a division for each element. With the 774 million elements of
// gpt2-large the divisions would take seconds.
KOKKOS_INLINE_FUNCTION kernels::Index turn(kernels::Index element, int groups) {
  return groups == 1 ? 0 : element % groups;
}

// Returns, for each group, the sum of the weights of its ranks, divided by the number of all ranks.
kernels::Floats average_weights(int ranks, int groups) {
  const kernels::Floats averages("averages", static_cast<std::size_t>(groups));
  const auto host = Kokkos::create_mirror_view(averages);
  for (int rank = 0; rank < ranks; ++rank) host(rank % groups) += verification_weight(rank);
  for (int group = 0; group < groups; ++group) host(group) /= static_cast<float>(ranks);
  Kokkos::deep_copy(averages, host);
  return averages;
}

}  // namespace

std::vector<Slice> completed_slices(model::BackwardPass const& pass) {
  std::vector<Slice> slices(pass.operations.size());
  for (auto const& gradient : pass.gradients) {
    auto& slice = slices[gradient.operation];
    if (slice.count == 0) slice.offset = gradient.offset;
    slice.count += gradient.slice().count;
  }
  return slices;
}

VerificationLane::VerificationLane(model::BackwardPass const& pass, kernels::Floats memory,
                                   std::size_t gradients_at, int rank, kernels::Space exec, int groups)
    : KernelLane(std::move(exec), std::move(memory), most_launches(pass)),
      slices_(completed_slices(pass)),
      gradients_(Kokkos::subview(memory_, std::pair{gradients_at, memory_.extent(0)})),
      rank_(rank),
      groups_(groups) {}

void VerificationLane::run(std::size_t operation) {
  constexpr double pause_s = 200e-6;
  kernels::occupy_stream(exec_, pause_s);
  write_verification_pattern(exec_, gradients_, slices_[operation], rank_, groups_);
  marks_.move_on();
}

void write_verification_pattern(kernels::Space const& exec, kernels::Floats const& arena, Slice slice,
                                int rank, int groups, std::uint64_t shift) {
  const float weight = verification_weight(rank);
  const kernels::Index group = rank % groups;
  Kokkos::parallel_for(
      "ddproxy::write_pattern", elements(exec, slice), KOKKOS_LAMBDA(kernels::Index i) {
        const float pattern = verification_pattern(static_cast<std::uint64_t>(i) + shift);
        arena(i) = turn(i, groups) == group ? weight * pattern : 0.0F;
      });
}

void write_verification_pattern(kernels::Floats arena, Slice slice, int rank, int groups,
                                std::uint64_t shift) {
  const kernels::Space exec;
  write_verification_pattern(exec, arena, slice, rank, groups, shift);
  exec.fence("write_pattern");
}

WrongElements find_wrong(kernels::Floats arena, Slice slice, int ranks, int groups, std::uint64_t shift) {
  const auto averages = average_weights(ranks, groups);
  WrongElements wrong;
  kernels::Index first = 0;
  Kokkos::parallel_reduce(
      "ddproxy::find_wrong", elements(kernels::Space(), slice),
      KOKKOS_LAMBDA(kernels::Index i, std::int64_t & found, kernels::Index & least) {
        const float expected =
            averages(turn(i, groups)) * verification_pattern(static_cast<std::uint64_t>(i) + shift);
        if (Kokkos::abs(arena(i) - expected) <= 1e-5F * expected) return;  // false for NaN
        ++found;
        if (i < least) least = i;
      },
      wrong.count, Kokkos::Min<kernels::Index>(first));
  if (wrong.count > 0) wrong.first = first;
  return wrong;
}

void poison(kernels::Floats arena) {
  Kokkos::deep_copy(arena, std::numeric_limits<float>::quiet_NaN());
  Kokkos::fence();
}

}  // namespace ddproxy
