// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// Copies between gradients and buckets, as PyTorch DDP makes them on the compute side.
enum class CopyMode {
  none,    ///< the gradients lie in their buckets
  in,      ///< each gradient is copied into its bucket when it is ready
  in_out,  ///< and every bucket back once it is reduced and the backward pass is over
};

}  // namespace ddproxy::model
