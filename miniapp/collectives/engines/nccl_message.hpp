// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>  // KOKKOS_ENABLE_HIP
#include <cstddef>

#include "miniapp/collectives/drivers/collective_call.hpp"
#ifdef KOKKOS_ENABLE_HIP
#include <rccl.h>
#else
#include <nccl.h>
#endif

namespace ddproxy {

/// The arguments of one call of NCCL. The buffers are device memory and are not owned. A reduce_scatter works
/// in place if `receive` is this rank's part of `send`. An all_gather works in place if `send` is this rank's
/// part of `receive`. A broadcast works in place if `send` and `receive` are equal.
struct NcclMessage {
  model::Verb verb;
  void const* send;   ///< not used by Verb::receive, nor by a broadcast on other ranks than the root
  void* receive;      ///< not used by Verb::send
  std::size_t count;  ///< number of elements; for reduce_scatter and all_gather, of one part
  ncclDataType_t type;
  ncclRedOp_t operation;  ///< used by all_reduce and reduce_scatter; NCCL decides how it rounds sums in bf16
  int root_or_peer = 0;   ///< used by broadcast, send and receive
};

/// Returns the message in fp32 of a call. The slices of the call are ranges of elements of `memory`. `place`
/// is the rank's place in the group.
///
/// If the rank uses only one of the two slices, `send` and `receive` both point to this slice. This matters
/// on the root of a broadcast: it assigns nothing, but NCCL copies its data from `send` to `receive` if the
/// two pointers differ.
NcclMessage nccl_message(CollectiveCall const& call, GroupPlace place, float* memory);

}  // namespace ddproxy
