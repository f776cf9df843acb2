// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/bucket_plan.hpp"
#include "model/step/copy_mode.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Distributed data parallel: how the gradients of a backward pass are averaged.
struct Ddp {
  Plan plan = {};  ///< covers every gradient; empty: no gradient is reduced
  /// true: each bucket is reduced as soon as its last gradient is complete. false: all buckets are reduced
  /// after the backward pass.
  bool overlapped = true;
  CopyMode copies = CopyMode::none;
  DataType wire = DataType::fp32;  ///< type in which the elements are transferred
};

}  // namespace ddproxy::model
