// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ctest/bench/collective_rows.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy::bench {

/// Registers the rows of MPI's collectives on host memory: ddproxy's engine in turns with a plain loop of the
/// same MPI calls. Sends and receives have rows if there are two ranks or more. If `own_core` is true, the
/// communication thread has a core that the waiting thread does not use. `runtime` must outlive the rows. A
/// row throws WrongNumbers on all ranks if a received element differs from the element that was sent.
void register_mpi_rows(Runtime const& runtime, Settings const& settings, bool own_core);

}  // namespace ddproxy::bench
