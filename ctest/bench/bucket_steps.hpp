// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "miniapp/measure/pass/compiled_step.hpp"
#include "model/step/bucket_plan.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::bench {

/// The backward pass of GPT-2-large, `with` and `without` all-reduces. The time of `with` minus the time of
/// `without` is the cost of the buckets.
struct BucketSteps {
  model::BackwardPass pass;
  std::size_t buckets;
  CompiledStep with, without;
};

/// Compiles both steps. `cap_mib` is the cap of the buckets in MiB; 0: one bucket for each gradient. `lanes`
/// communication lanes get the buckets in turn.
BucketSteps bucket_steps(std::int64_t cap_mib, std::size_t lanes = 1);

}  // namespace ddproxy::bench
