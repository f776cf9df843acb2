// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernels/occupy_stream.hpp"
#include "kernels/types.hpp"
#include "miniapp/compute/backward.hpp"
#include "miniapp/device/device.hpp"

namespace ddproxy {

/// A replayed backward pass whose operations hold the device's stream for the time that a table says, so that
/// real all-reduces of device memory run beside it.
class StreamReplay : public Backward {
 public:
  /// Each element that is copied back takes `back_seconds`; below 0 nothing is copied back.
  explicit StreamReplay(std::vector<double> operation_seconds, double back_seconds = -1,
                        kernels::Space exec = {});
  std::size_t operations() const override { return seconds_.size(); }
  void begin() override { marks_.move_on(); }
  void run(std::size_t operation) override;
  Completion completion() override { return marks_.after(exec_); }
  bool takes_back() const override { return back_seconds_ >= 0; }
  void take_back(Slice slice, Completion reduced) override;
  void fence() override { exec_.fence("StreamReplay"); }

 private:
  std::vector<double> seconds_;
  double back_seconds_;
  kernels::Space exec_;
  kernels::OccupiedStream stream_;
  Marks marks_;
};

}  // namespace ddproxy
