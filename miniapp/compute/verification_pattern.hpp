// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/types.hpp"
#include "miniapp/compute/kernel_lane.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/input/wire_format.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

// The numbers that verification writes in place of gradients:
//   f(rank, element) = w(rank) g(element), w(rank) = 1 + rank mod 8, g(element) from 1 to 8
// These small integers are exact in every precision, and their sum over the ranks is exact in fp32. The sum
// is wrong if a rank is missing or counted twice, or if an element comes from another place.
//
// If gradients are sent in bf16, partial sums must be exact in bf16, too. So the ranks form groups of at most
// four ranks, and the groups take the elements in turn. Rank r belongs to group r mod groups. To element i it
// writes f(r, i) if i mod groups is the number of its group, and 0 otherwise. Then no partial sum exceeds
// 256, which is four times 8 times 8, and bf16 represents every integer up to 256.
//
// Below, `groups` is the number of groups. The arena is the array of all gradients, in ready order; `element`
// is an index in it.
//
// If the ranks are divided among several communicators, the ranks of each communicator use g(element + shift)
// in place of g(element), with a `shift` that no other communicator has. So the result is wrong if a rank of
// another communicator took part.

/// Returns g(element), an integer from 1 to 8 that a multiplicative hash selects.
KOKKOS_INLINE_FUNCTION float verification_pattern(std::uint64_t element) {
  return static_cast<float>(1 + ((element * 0x9E3779B97F4A7C15ULL) >> 61));
}
/// Returns w(rank), an integer from 1 to 8.
inline float verification_weight(int rank) {
  return static_cast<float>(1 + rank % 8);
}

/// Returns the number of groups that the ranks form: ranks / 4, rounded up, if gradients are sent in bf16;
/// otherwise 1.
inline int verification_groups(WireFormat wire, int ranks) {
  return wire == WireFormat::bf16 ? (ranks + 3) / 4 : 1;
}

/// Returns, for each operator, the slice of the arena with the gradients that the operator completes.
std::vector<Slice> completed_slices(model::BackwardPass const& pass);

/// Writes f(rank, element) in place of gradients. Verification runs this lane in place of the model. The lane
/// pauses for 200 us before each operator. On a device the stream pauses, and the host goes on. So if the
/// all-reduce of a bucket starts too early, it reads wrong numbers.
class VerificationLane : public KernelLane {
 public:
  /// Takes the operators of `pass` and the memory. `memory` contains the buffers of a step. The gradients lie
  /// there in ready order from element `gradients_at` on.
  VerificationLane(model::BackwardPass const& pass, kernels::Floats memory, std::size_t gradients_at,
                   int rank, kernels::Space exec = {}, int groups = 1);
  std::size_t operations() const override { return slices_.size(); }
  void run(std::size_t operation) override;

 private:
  std::vector<Slice> slices_;  // the gradients that each operator completes
  kernels::Floats gradients_;  // the part of the memory that holds the gradients
  int rank_, groups_;
};

/// The elements that find_wrong() found.
struct WrongElements {
  std::int64_t count = 0;   ///< number of wrong elements
  std::int64_t first = -1;  ///< index of the first wrong element in the arena; -1: none
};
/// Finds the elements of a slice of the arena whose relative difference from the average of what `ranks`
/// ranks wrote exceeds 1e-5. NaN counts as wrong. Waits for the result.
WrongElements find_wrong(kernels::Floats arena, Slice slice, int ranks, int groups = 1,
                         std::uint64_t shift = 0);

/// Assigns f(rank, element) to the elements of a slice of the arena, or 0 to those that belong to another
/// group. Returns when the work is enqueued on `exec`.
void write_verification_pattern(kernels::Space const& exec, kernels::Floats const& arena, Slice slice,
                                int rank, int groups = 1, std::uint64_t shift = 0);
/// Does the same on the default execution-space instance, and waits until it is done.
void write_verification_pattern(kernels::Floats arena, Slice slice, int rank, int groups = 1,
                                std::uint64_t shift = 0);

/// Fills the arena with NaN. Waits until it is done.
void poison(kernels::Floats arena);

}  // namespace ddproxy
