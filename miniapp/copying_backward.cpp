// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/copying_backward.hpp"

#include "miniapp/pattern.hpp"

namespace ddproxy {
namespace {

// to = from, for one slice; assigned.
void copy(kernels::Floats const& from, kernels::Floats const& to, Slice slice) {
  const auto first = static_cast<kernels::Index>(slice.offset);
  const auto last = first + static_cast<kernels::Index>(slice.count);
  Kokkos::parallel_for(
      "ddproxy::copy", kernels::Range(first, last), KOKKOS_LAMBDA(kernels::Index i) { to(i) = from(i); });
}

}  // namespace

CopyingBackward::CopyingBackward(Backward& backward, model::BackwardPass const& pass,
                                 kernels::Floats gradients, kernels::Floats buckets, bool back)
    : backward_(backward),
      completed_(completed_slices(pass)),
      gradients_(std::move(gradients)),
      buckets_(std::move(buckets)),
      back_(back) {}

void CopyingBackward::run(std::size_t operation) {
  backward_.run(operation);
  if (completed_[operation].count > 0) copy(gradients_, buckets_, completed_[operation]);
}

void CopyingBackward::take_back(Slice slice, Completion) {
  copy(buckets_, gradients_, slice);
}

}  // namespace ddproxy
