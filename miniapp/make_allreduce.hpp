// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "miniapp/allreduce.hpp"
#include "planner/config.hpp"

namespace ddproxy {

/// The all-reduce that the input asks for. `arena` may be null for replay. Collective over `communicator`.
std::unique_ptr<Allreduce> make_allreduce(Config const& config, MPI_Comm communicator, float* arena);

}  // namespace ddproxy
