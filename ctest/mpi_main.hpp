// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// MPI and Kokkos of the test program.
extern Runtime const* test_runtime;

}  // namespace ddproxy
