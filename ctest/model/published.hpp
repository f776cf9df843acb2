// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ctest/folders.hpp"
#include "model/predict/score.hpp"
#include "model/step/bucket_plan.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

inline std::filesystem::path published(std::string const& name) {
  return std::filesystem::path(ddproxy::inputs_folder) / "published" / name;
}

/// Returns the model of Stanford's CS336, assignment 2. It has RMSNorm, SwiGLU, separate q, k and v, and an
/// output head of its own. It has no biases and no position table.
inline Shape cs336_shape(std::int64_t layers, std::int64_t d_model, std::int64_t heads, std::int64_t d_ff) {
  return {layers,        d_model,         heads,        d_ff, 10000, 1024, false, false, Activation::swiglu,
          Norm::rmsnorm, Positions::none, Qkv::separate};
}

inline std::vector<std::int64_t> gradient_bytes(BackwardPass const& pass, std::int64_t element_bytes = 4) {
  std::vector<std::int64_t> bytes;
  for (Gradient const& gradient : pass.gradients) bytes.push_back(gradient.numel * element_bytes);
  return bytes;
}

inline std::int64_t mib(double size) {
  return static_cast<std::int64_t>(size * bytes_per_mib);
}

/// Prints the scores of the prediction and of its baselines, one per line.
inline void print_score(ScoreCard const& card) {
  const std::pair<char const*, Score const&> lines[] = {{"model", card.model},
                                                        {"best constant", card.constant},
                                                        {"near 25 MiB", card.pytorch_default},
                                                        {"without contention", card.uncontended}};
  for (auto const& [name, s] : lines) {
    std::printf("  %-18s mean %5.1f %%, max %5.1f %%, pairs in order %4.0f %%, regret %.2f %%\n", name,
                100 * s.mean_error, 100 * s.max_error, 100 * s.ordered, 100 * s.regret);
  }
}

}  // namespace ddproxy::model
