// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernels/types.hpp"
#include "miniapp/compute/backward.hpp"
#include "miniapp/device/device.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// What DDP does between gradients and buckets: a backward pass whose gradients are copied into the arena
/// that is reduced as each operation completes them, on the compute side. The division by n stays with the
/// reduction.
class CopyingBackward : public Backward {
 public:
  /// `gradients` is what `backward` writes, `buckets` what is reduced: both [all elements, ready order], both
  /// outlive this. With `back`, take_back() copies a reduced slice into the gradients. `exec` is the instance
  /// on which `backward` works.
  CopyingBackward(Backward& backward, model::BackwardPass const& pass, kernels::Floats gradients,
                  kernels::Floats buckets, bool back, kernels::Space exec = {});
  std::size_t operations() const override { return backward_.operations(); }
  void begin() override {
    backward_.begin();
    marks_.move_on();
  }
  void run(std::size_t operation) override;
  /// Of the copies, too.
  Completion completion() override { return marks_.after(exec_); }
  void fence() override { backward_.fence(); }
  bool takes_back() const override { return back_; }
  void take_back(Slice slice, Completion reduced) override;

 private:
  Backward& backward_;
  std::vector<Slice> completed_;  // elements that each operation completes
  kernels::Floats gradients_, buckets_;
  bool back_;
  kernels::Space exec_;
  Marks marks_;
};

}  // namespace ddproxy
