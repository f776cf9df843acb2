// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/bucket_plan.hpp"
#include "model/gpt2.hpp"

namespace ddproxy::model {

inline std::filesystem::path published(std::string const& name) {
  return std::filesystem::path(DDPROXY_INPUTS) / "published" / name;
}

/// The model of Stanford's CS336, assignment 2: no biases, RMSNorm, SwiGLU, no position table, separate q, k,
/// v, own output head.
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

}  // namespace ddproxy::model
