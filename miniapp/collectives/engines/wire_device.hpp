// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"
#include "miniapp/collectives/engines/wire.hpp"
#include "miniapp/compute/compute_lane.hpp"

namespace ddproxy {

/// A slice of the kernels' memory rounded to bf16 and back, by kernels that an execution-space instance is
/// asked for; the host does not wait. One message at a time: what is packed next takes its place.
class DeviceWire {
 public:
  /// For slices of at most so many elements.
  explicit DeviceWire(std::size_t most_elements);

  Bf16* data() const { return message_.data(); }
  /// Assigns values, rounded, to the elements `to` of the message.
  void pack(kernels::Space const& exec, float const* values, Slice to);
  /// values = the elements `from` of the message, as they are by now, times `factor`; assigned.
  void unpack(kernels::Space const& exec, float* values, Slice from, float factor) const;

 private:
  Kokkos::View<Bf16*, kernels::Memory> message_;
};

}  // namespace ddproxy
