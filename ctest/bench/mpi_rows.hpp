// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ctest/bench/collective_rows.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy::bench {

<<<<<<< HEAD
/// Registers the rows of MPI's collectives on host memory: ddproxy's engine in turns with a plain loop of the
/// same MPI calls. If `own_core` is true, the communication thread has a core that the waiting thread does
/// not use. `runtime` must outlive the rows.
=======
/// Registers the rows of MPI's collectives on host memory: ddproxy's engine beside a plain loop of the same
/// calls of MPI. Sends and receives have rows if there are two ranks or more. `own_core` tells whether the
/// communication thread has a core besides that of the waiting thread. `runtime` must outlive the rows. A row
/// throws WrongNumbers on all ranks if a message that was sent did not arrive.
>>>>>>> bench31
void register_mpi_rows(Runtime const& runtime, Settings const& settings, bool own_core);

}  // namespace ddproxy::bench
