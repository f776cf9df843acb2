// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::kernels {

/// Says whether a result is assigned, or added to the previous value. Gradients of parameters are assigned in
/// the first micro-batch of a step and added in the others.
enum class SumMode { assign, add };

}  // namespace ddproxy::kernels
