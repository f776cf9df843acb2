// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "model/cost/csv.hpp"
#include "model/cost/operation_work.hpp"
#include "model/predict/timeline.hpp"
#include "published.hpp"

namespace ddproxy::model {

/// Returns a job with gradients of 1 to 40 bytes, each ready 0 to 20 ms after the one before, and a(x) = 4 ms
/// + x / `bandwidth` (bytes/s).
inline Job random_job(unsigned seed, std::size_t gradients, double bandwidth) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> step(0.0, 0.02);
  std::uniform_int_distribution<std::int64_t> size(1, 40);
  Job job;
  for (std::size_t i = 0; i < gradients; ++i) {
    job.t_compute += step(random);
    job.ready.push_back(job.t_compute);
    job.gradient_bytes.push_back(size(random));
  }
  job.cost = AlphaBeta{4e-3, bandwidth};
  return job;
}

/// Returns the job of GPT-2-large at batch 4, sequence 1024 on 8 A100s, from the roofline and the published
/// table. a(x) is multiplied by `slower`. Each gradient is divided into `slices` gradients.
inline Job large_job(double slower = 1, int slices = 1) {
  const Shape shape = find_preset("gpt2-large");
  const BackwardPass pass = backward_pass(shape);
  const auto seconds = modelled_seconds(shape, pass, {4, 1024}, {156e12, 1.555e12, 0.25}, 4);
  std::vector<double> ends;
  Job job;
  for (const double s : seconds) ends.push_back(job.t_compute += s);
  for (Gradient const& gradient : pass.gradients) {
    for (int slice = 0; slice < slices; ++slice) {
      job.ready.push_back(ends[gradient.operation]);
      job.gradient_bytes.push_back(std::max<std::int64_t>(1, gradient.numel * 4 / slices));
    }
  }
  const TableCost table(read_allreduce(published("allreduce-8xa100-1node.csv")));
  job.cost = [table, slower](std::int64_t bytes) { return slower * table(bytes); };
  return job;
}

/// Returns contention of the kind that occurs if compute and all-reduces share a processor: gamma rises and
/// kappa falls as all-reduces get larger.
inline Contention large_contention() {
  return Contention({{5120, {0.95, 0.2}}, {1 << 20, {0.8, 0.6}}, {64 << 20, {0.8, 0.8}}});
}

}  // namespace ddproxy::model
