// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include "miniapp/collectives/engines/call_pieces.hpp"

namespace ddproxy {

/// Two slots of host memory, one behind the other, and the copies between them and the arena: asynchronous,
/// carried out one after another in the order in which they are asked for.
class Staging {
 public:
  virtual ~Staging() = default;
  virtual float* memory() = 0;                                    ///< of slot 0; slot 1 follows it
  virtual void fetch(std::size_t slot, Runs const& runs) = 0;     ///< arena to slot, the buffer of the runs
  virtual void put_back(std::size_t slot, Runs const& runs) = 0;  ///< slot to arena
  virtual bool over(std::size_t slot) = 0;  ///< whether the last copy asked of the slot is; never waits
};

/// Pinned host memory for `arena` in device memory, a slot for a piece, on a stream of its own. Only in
/// builds for a device.
std::unique_ptr<Staging> make_pinned_staging(float* arena, std::size_t piece_elements);

/// Multiplies `count` floats in device memory and returns when that is done. Only in builds for a device.
void scale_device_memory(float* values, std::size_t count, float factor);

}  // namespace ddproxy
