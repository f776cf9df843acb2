// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// Computes x[i] *= *factor for x [count], for instance with the factor of clip_factor() (gradient_norm.hpp).
/// The factor lies in memory of the execution space, so the host does not wait. The factor must not be an
/// element of x.
void scale(Space const& exec, Index count, float const* factor, float* x);

}  // namespace ddproxy::kernels
