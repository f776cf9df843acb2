// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/compute/kernel_model.hpp"

namespace ddproxy {

/// Runs one forward pass on `exec` and assigns all activations of `gpt`. Overwrites `branch` [N, C] and
/// `scratch`, two of the WorkBuffers (activations.hpp). On a device it returns when the kernels are enqueued.
void run_forward(kernels::Space const& exec, KernelModel const& gpt, float* branch, float* scratch);

}  // namespace ddproxy
