// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ddproxy {

/// Starts to record every call of operator new, on all threads, with its call stack. Forgets what was
/// recorded before. The program must be linked with allocation_watch.cpp, which defines operator new.
void watch_allocations();

/// Stops recording. Returns the allocations that ddproxy's own code made, as "function <- caller <- ...".
/// Those of MPI, Kokkos, BLAS and OpenMP are left out.
///
/// The innermost functions of the call stack show who allocates. Functions of the standard library and of
/// {fmt} are skipped, because they allocate for their caller. If the first function after them has
/// "ddproxy::" in its name, the allocation is ddproxy's own. This includes allocations in kernels, because
/// the Kokkos function that calls a kernel has the type of the kernel in its name. An allocation whose call
/// stack shows no owner is returned as "unknown". Only the first 20000 calls have a call stack; if there were
/// more, the last text says so. Call own_allocations() when all threads of the step are idle.
std::vector<std::string> own_allocations();

}  // namespace ddproxy
