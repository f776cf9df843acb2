// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/types.hpp"
#include "miniapp/compute/kernel_lane.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/input/wire_format.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// f(rank, element) = (1 + rank mod 8) g(element) with g in 1 ... 8: small integers, exact in every
/// precision, whose sum over the ranks is exact in fp32 and differs where a rank is missing, counted twice,
/// or an element comes from elsewhere. For sums that bf16 holds exactly too, the ranks form groups of at most
/// four, which take the elements in turn; where it is not its group's turn, a rank writes 0. So no partial
/// sum is above 4 x 64 = 256, and up to there bf16 has every integer.
KOKKOS_INLINE_FUNCTION float verification_pattern(std::uint64_t element) {
  return static_cast<float>(1 + ((element * 0x9E3779B97F4A7C15ULL) >> 61));
}
inline float verification_weight(int rank) {
  return static_cast<float>(1 + rank % 8);
}

/// Groups that the ranks form: rank r is of group r mod groups, whose turn is element i with i mod groups the
/// same.
inline int verification_groups(WireFormat wire, int ranks) {
  return wire == WireFormat::bf16 ? (ranks + 3) / 4 : 1;
}

/// The elements that each operation completes.
std::vector<Slice> completed_slices(model::BackwardPass const& pass);

/// A compute lane that writes f(rank, element) instead of gradients: what verification runs in place of the
/// model. It pauses before each operator, on a device the stream does, so that a bucket that starts too early
/// has the time to do harm.
class VerificationLane : public KernelLane {
 public:
  /// `memory` holds the buffers of a step; the gradients lie there in ready order from `gradients_at` on.
  VerificationLane(model::BackwardPass const& pass, kernels::Floats memory, std::size_t gradients_at,
                   int rank, kernels::Space exec = {}, int groups = 1);
  std::size_t operations() const override { return runs_.size(); }
  void run(std::size_t operation) override;

 private:
  std::vector<Slice> runs_;    // elements that each operator completes
  kernels::Floats gradients_;  // a part of the memory
  int rank_, groups_;
};

/// Elements of the arena that are not the average of f over `ranks` ranks (assigned); `first` is the first of
/// them.
struct WrongElements {
  std::int64_t count = 0;
  std::int64_t first = -1;
};
WrongElements find_wrong(kernels::Floats arena, std::size_t offset, std::size_t count, int ranks,
                         int groups = 1);

/// Writes f(rank, element) for a run of elements; with an instance it is asynchronous.
void write_verification_pattern(kernels::Space const& exec, kernels::Floats const& arena, Slice slice,
                                int rank, int groups = 1);
void write_verification_pattern(kernels::Floats arena, std::size_t offset, std::size_t count, int rank,
                                int groups = 1);

/// Fills the arena with NaN.
void poison(kernels::Floats arena);

}  // namespace ddproxy
