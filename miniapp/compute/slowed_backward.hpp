// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "miniapp/compute/backward.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// A backward pass in which one kind of operator takes longer by a share: the slowdown that tests of the gate
/// plant. On a host only, where an operation has ended when run() returns.
class SlowedBackward : public Backward {
 public:
  /// `text`: KIND:SHARE, for instance "linear:0.03". Throws std::invalid_argument for another text, and for a
  /// kind that the pass does not have.
  SlowedBackward(std::unique_ptr<Backward> backward, model::BackwardPass const& pass,
                 std::string const& text);

  std::size_t operations() const override { return backward_->operations(); }
  void renew() override { backward_->renew(); }
  void begin() override { backward_->begin(); }
  void run(std::size_t operation) override;
  Completion completion() override { return backward_->completion(); }
  bool takes_back() const override { return backward_->takes_back(); }
  void take_back(Slice slice, Completion reduced) override { backward_->take_back(slice, reduced); }
  void fence() override { backward_->fence(); }

 private:
  std::unique_ptr<Backward> backward_;
  double share_ = 0;
  std::vector<bool> slowed_;  // [operation]
};

}  // namespace ddproxy
