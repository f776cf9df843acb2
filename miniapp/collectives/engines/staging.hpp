// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include "miniapp/collectives/engines/call_pieces.hpp"

namespace ddproxy {

/// Has two slots of host memory, 0 and 1, and copies elements between the slots and the arena. The arena is
/// the array in device memory that collectives read and write, for instance all gradients of a rank. The
/// copies are asynchronous. They are carried out one after another, in the order in which they are enqueued.
///
/// Problem: an MPI that cannot read device memory needs the gradients in host memory. Host memory for a whole
/// bucket would be large, and a copy that the host waits for would leave the network idle. With two small
/// slots, one slot is copied while the other is on the network. StagedEngine decides when a slot is copied. A
/// test replaces this class by one without a device.
///
/// Order of calls for a slot: fetch(); then over() until it returns true; then use the slot; then put_back().
/// The next fetch() into the slot may follow put_back() at once, because the copies keep their order.
class Staging {
 public:
  virtual ~Staging() = default;
  /// Returns the first element of slot 0. Slot 1 follows slot 0. The staging owns the memory.
  virtual float* memory() = 0;
  /// Enqueues the copy of the ranges `runs` (call_pieces.hpp) from the arena to a slot. In the slot they
  /// follow one another from element runs.in_buffer on.
  virtual void fetch(std::size_t slot, Runs const& runs) = 0;
  /// Enqueues the copy of the ranges `runs` from a slot back to their places in the arena.
  virtual void put_back(std::size_t slot, Runs const& runs) = 0;
  /// Returns whether the last copy that was enqueued for the slot has completed. Does not wait.
  virtual bool over(std::size_t slot) = 0;
};

/// Makes two slots of pinned host memory for `arena` in device memory, and a stream for the copies. Both
/// slots together hold `pinned_elements` floats; this number is EngineBuffers::pinned
/// (miniapp/input/engine_buffers.hpp). `arena` must outlive the result. Exists only in builds for a device.
std::unique_ptr<Staging> make_pinned_staging(float* arena, std::size_t pinned_elements);

/// Multiplies `count` floats in device memory by `factor`, and waits until that is done. Exists only in
/// builds for a device.
void scale_device_memory(float* values, std::size_t count, float factor);

}  // namespace ddproxy
