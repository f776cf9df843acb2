// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// Copies between gradients and buckets. PyTorch DDP makes such copies on the compute side.
enum class CopyMode {
  none,    ///< no copies: the gradients lie in their buckets
  in,      ///< each gradient is copied into its bucket when it is ready
  in_out,  ///< as `in`; after the backward pass each reduced bucket is also copied back to its gradients
};

}  // namespace ddproxy::model
