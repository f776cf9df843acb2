// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/compute/kernel_model.hpp"

namespace ddproxy {

/// One forward pass; assigns all activations. `branch` is [N, C] of working memory.
void run_forward(kernels::Space const& exec, KernelModel const& gpt, float* branch, float* scratch);

}  // namespace ddproxy
