// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "ctest/results/sample_parts.hpp"

namespace ddproxy::test {

// A file of a run has either a sweep or whole steps. The sample has both, so that it has every dataset.
void write_step(results::Writer& writer) {
  const double nan = std::nan("");
  writer.attribute("/step", "ranks", std::int64_t{8});
  writer.attribute("/step", "optimizer", std::string("adamw"));
  writer.attribute("/step", "clip", 1.0);
  writer.attribute("/step", "accumulation", std::int64_t{2});
  writer.attribute("/step", "sync", std::string("last"));
  writer.attribute("/step", "checkpoint", std::string("none"));
  writer.attribute("/step", "sharding", std::string("none"));
  writer.attribute("/step", "compute_mode", std::string("kernels"));
  writer.attribute("/step", "backend", std::string("mpi"));
  writer.attribute("/step", "progress", std::string("thread"));
  writer.attribute("/step", "call", std::string("nonblocking"));
  writer.attribute("/step", "piece_mib", 16.0);
  writer.attribute("/step", "warmup", std::int64_t{1});
  writer.write("/step/part", Texts{"forward", "recompute", "exposed", "step"});
  writer.write("/step/measured", Reals{0.2, 0.2, 0, 0, 0.05, 0.15, 1, 1.2}, {4, 2});
  writer.write("/step/median", Reals{0.2, 0, 0.1, 1.1});
  writer.write("/step/ci_low", Reals{0.2, 0, 0.05, 1});
  writer.write("/step/ci_high", Reals{0.2, 0, 0.15, 1.2});
  writer.write("/step/mean", Reals{0.2, 0, 0.1, 1.1});
  writer.write("/step/deviation", Reals{0, 0, 0.07, 0.14});
  writer.write("/step/predicted", Reals{0.2, 0, 0.11, 1.155});
  writer.write("/step/uncontended", Reals{0.2, 0, 0.1, 1.045});
  writer.write("/step/first", Reals{0.3, 0, nan, 2});
  writer.write("/step/alone", Reals{0.95, 1.05});
  writer.write("/step/host_waits", Reals{0, 0});
  writer.write("/step/kind", Texts{"linear", "head", "norm", "update", "matrix products"});
  writer.write("/step/kind_forward", Reals{0.1, 0.05, 0.05, 0, 0.15});
  writer.write("/step/kind_backward", Reals{0.2, 0.1, 0.1, 0, 0.3});
  writer.write("/step/kind_step", Reals{0.3, 0.15, 0.15, 0.4, 0.45});
  writer.write("/step/lane", Texts{"compute", "communication"});
  writer.write("/step/lane_busy", Reals{0.9, 0.3});
  writer.write("/step/predicted_lane_busy", Reals{0.95, 0.25});
  writer.write("/step/bubble", Reals{0.2});
  writer.write("/step/predicted_bubble", Reals{0.205});
  writer.write("/step/loss", Reals{7.5});
  writer.write("/step/verified", Integers{1});
  writer.write("/step/global_batch", Integers{64});
  writer.write("/step/model_flops", Reals{5e10});
  writer.write("/step/measured_peak", Reals{1e11});
  writer.write("/step/peak_flops", Reals{nan});
}

}  // namespace ddproxy::test
