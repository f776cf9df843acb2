// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// Measures the speed of large matrix products: all ranks compute C = A B of square matrices with gemm() at
/// the same time, five times. Each rank keeps its fastest product. Returns the mean over the ranks, in FLOP/s
/// for one rank. The result is the same on all ranks. It is NaN if a rank has too little memory for the
/// matrices (12 MiB on a host, 192 MiB on a device). Collective.
double measured_peak(Runtime const& runtime);

}  // namespace ddproxy
