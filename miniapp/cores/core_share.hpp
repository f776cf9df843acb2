// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace ddproxy {

/// Cores of its node that this rank may count as its own: those that its threads may use (pin_rank()
/// included), each divided by the number of ranks that may use it. Two unbound ranks on two cores have one
/// each. Collective.
double core_share(MPI_Comm communicator);

}  // namespace ddproxy
