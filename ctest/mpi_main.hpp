// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// MPI and Kokkos of the test program. Valid while the tests run.
extern Runtime const* test_runtime;

/// Returns the level of thread support that MPI is asked for. It is MPI_THREAD_SERIALIZED unless a test
/// program defines this function itself.
int mpi_threads_of_test();

}  // namespace ddproxy
