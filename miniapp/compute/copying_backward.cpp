// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/copying_backward.hpp"

#include "miniapp/compute/verification_pattern.hpp"

namespace ddproxy {
namespace {

// to = from, for one slice; assigned.
void copy(kernels::Space const& exec, kernels::Floats const& from, kernels::Floats const& to, Slice slice) {
  const auto first = static_cast<kernels::Index>(slice.offset);
  const auto last = first + static_cast<kernels::Index>(slice.count);
  Kokkos::parallel_for(
      "ddproxy::copy", kernels::Range(exec, first, last),
      KOKKOS_LAMBDA(kernels::Index i) { to(i) = from(i); });
}

}  // namespace

CopyingBackward::CopyingBackward(Backward& backward, model::BackwardPass const& pass,
                                 kernels::Floats gradients, kernels::Floats buckets, bool back,
                                 kernels::Space exec)
    : backward_(backward),
      completed_(completed_slices(pass)),
      gradients_(std::move(gradients)),
      buckets_(std::move(buckets)),
      back_(back),
      exec_(std::move(exec)),
      marks_(pass.operations.size()) {}

void CopyingBackward::run(std::size_t operation) {
  backward_.run(operation);
  if (completed_[operation].count > 0) copy(exec_, gradients_, buckets_, completed_[operation]);
  marks_.move_on();
}

void CopyingBackward::take_back(Slice slice, Completion reduced) {
  begin_after(exec_, reduced);
  copy(exec_, buckets_, gradients_, slice);
}

}  // namespace ddproxy
