// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "miniapp/cores/launch.hpp"

namespace ddproxy {

/// Environment variables to set: from name to value.
using Settings = std::map<std::string, std::string>;

/// Returns whether the environment says how idle OpenMP threads wait: whether OMP_WAIT_POLICY, GOMP_SPINCOUNT
/// (GNU's OpenMP library), KMP_BLOCKTIME or KMP_LIBRARY (LLVM's) is set.
bool says_how_threads_wait(Variables const& variable);

/// The properties of a rank that decide which environment variables it needs.
struct Demand {
  int threads = 1;             ///< number of threads with which the rank computes
  int own_cores = 1;           ///< number of cores that the rank has to itself
  bool communicates = true;    ///< whether the rank communicates with other ranks
  bool open_mpi = false;       ///< whether MPI is Open MPI
  std::string core_type = {};  ///< core type to set for OpenBLAS; empty if its own choice is right
};

/// Returns the environment variables that must be set before the program starts. Returns an empty map if
/// nothing must change.
///
/// - OMP_NUM_THREADS: demand.threads, if the variable is not set or has another value.
/// - OPENBLAS_CORETYPE: demand.core_type, unless it is empty.
///
/// If the rank communicates and leaves_no_core() (miniapp/cores/placement.hpp) is true, two more variables
/// are set:
///
/// - OMP_WAIT_POLICY=passive, so that idle threads sleep, if there are several threads and
///   says_how_threads_wait() is false.
/// - OMPI_MCA_mpi_yield_when_idle=1 with Open MPI, so that a call that waits yields its core.
///
/// A variable that the user set stays as it is, except OMP_NUM_THREADS: the choice of demand.threads already
/// takes the user's value into account.
Settings choose_settings(Demand const& demand, Variables const& variable);

/// Returns the settings as "NAME=value NAME=value".
std::string describe(Settings const& settings);

}  // namespace ddproxy
