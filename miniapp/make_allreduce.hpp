// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "kernels/types.hpp"
#include "miniapp/allreduce.hpp"
#include "planner/config.hpp"

namespace ddproxy {

/// Throws std::invalid_argument where this build does not have the backend.
void check_backend(Config const& config);

/// The all-reduce that the input asks for. `arena` may be empty for replay. Collective over `communicator`.
/// Throws as check_backend() does.
std::unique_ptr<Allreduce> make_allreduce(Config const& config, MPI_Comm communicator,
                                          kernels::Floats const& arena);

/// Version of the NCCL that this program would use, or "none".
std::string nccl_version();

}  // namespace ddproxy
