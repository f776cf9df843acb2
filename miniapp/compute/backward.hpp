// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "miniapp/device/completion.hpp"
#include "model/transformer/tensor_layout.hpp"

namespace ddproxy {

using model::Slice;  ///< of the gradient arena

/// The backward pass as a list of operations, run in order. All gradients are assigned, not accumulated, so
/// that a pass can be repeated any number of times.
class Backward {
 public:
  virtual ~Backward() = default;
  virtual std::size_t operations() const = 0;
  virtual void renew() {}                       ///< computes anew what the operations read: the forward pass
  virtual void begin() {}                       ///< starts a pass
  virtual void run(std::size_t operation) = 0;  ///< asynchronous where the device is
  /// Of all operations run since begin(). On a device it holds until as many more are asked for as there are
  /// operations.
  virtual Completion completion() = 0;
  virtual bool takes_back() const { return false; }  ///< whether reduced buckets are copied back at the end
  /// Copies a reduced slice of the arena back into the gradients when `reduced` is over; asynchronous too.
  virtual void take_back(Slice slice, Completion reduced) { (void)slice, (void)reduced; }
  virtual void fence() = 0;  ///< returns when they are complete
};

/// One pass with nothing beside it.
inline void run_all(Backward& backward) {
  backward.begin();
  for (std::size_t operation = 0; operation < backward.operations(); ++operation) backward.run(operation);
  backward.fence();
}

}  // namespace ddproxy
