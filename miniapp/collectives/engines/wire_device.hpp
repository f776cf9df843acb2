// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"
#include "miniapp/collectives/engines/wire.hpp"
#include "miniapp/compute/compute_lane.hpp"

namespace ddproxy {

/// Holds one message in bf16 in the memory of the kernels, and converts it from and to fp32. The kernels are
/// enqueued on an execution-space instance (a stream), and the host does not wait. The next pack() overwrites
/// the message.
class DeviceWire {
 public:
  /// Allocates a message of `most_elements` elements.
  explicit DeviceWire(std::size_t most_elements);

  /// Returns the first element of the message, which this object owns.
  Bf16* data() const { return message_.data(); }
  /// Enqueues a kernel that rounds the first `to.count` values of `values` to bf16, and writes them to the
  /// slice `to` of the message. `values` points to memory of the kernels.
  void pack(kernels::Space const& exec, float const* values, Slice to);
  /// Enqueues a kernel that multiplies the slice `from` of the message by `factor`. It assigns the results to
  /// the first `from.count` values of `values`, or adds them to these values if `adds` is true. `values`
  /// points to memory of the kernels. The kernel reads the message when it runs, not when it is enqueued.
  void unpack(kernels::Space const& exec, float* values, Slice from, float factor, bool adds) const;

 private:
  Kokkos::View<Bf16*, kernels::Memory> message_;
};

/// Enqueues a kernel that adds `count` elements of `from` to those of `to`. Both point to memory of the
/// kernels.
void add_on_device(kernels::Space const& exec, float const* from, float* to, std::size_t count);

}  // namespace ddproxy
