// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/occupy_stream.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/device/marks.hpp"

namespace ddproxy {

/// Replays operators on a device: each operator occupies a stream of the device for the time that a table
/// gives. Real all-reduces of device memory can run at the same time.
class StreamReplay : public ComputeLane {
 public:
  /// Takes the times: the seconds of each operator, and the seconds for each element that is copied.
  /// `launches` is the largest number of operators and copies in a step. `exec` is the execution-space
  /// instance of Kokkos whose stream is occupied.
  StreamReplay(std::vector<double> operation_seconds, double copy_seconds, std::size_t launches,
               kernels::Space exec = {});
  std::size_t operations() const override { return seconds_.size(); }
  void begin() override { marks_.move_on(); }
  void run(std::size_t operation) override;
  Completion completion() override { return marks_.after(exec_); }
  void copy(Slice from, std::size_t to) override;
  void wait_for(Completion const& completion) override { begin_after(exec_, completion); }
  void fence() override { exec_.fence("StreamReplay"); }

 private:
  std::vector<double> seconds_;
  double copy_seconds_;
  kernels::Space exec_;
  kernels::OccupiedStream stream_;
  Marks marks_;
};

}  // namespace ddproxy
