// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "miniapp/cores/launch.hpp"

namespace ddproxy {

/// Environment variables to set, by name.
using Settings = std::map<std::string, std::string>;

/// Whether the user told the OpenMP library how idle threads wait: the standard's variable, or one of GNU's
/// or LLVM's library.
bool says_how_threads_wait(Variables const& variable);

/// What the environment has to suit.
struct Demand {
  int threads = 1;             ///< with which the rank computes
  int own_cores = 1;           ///< that the rank has to itself
  bool communicates = true;    ///< with other ranks
  bool open_mpi = false;       ///< by Open MPI
  std::string core_type = {};  ///< that OpenBLAS should be told; empty: its own choice is right
};

/// What OpenMP, OpenBLAS and MPI have to find in the environment before the program starts: the number of
/// threads and OpenBLAS' core type; and, where the threads leave none of the own cores to communication, that
/// idle threads sleep and that Open MPI's calls yield the core while they wait. What the user set himself
/// stays, but for another number of threads: that was chosen with the user's in view. Empty where all is as
/// it should be.
Settings choose_settings(Demand const& demand, Variables const& variable);

/// As "NAME=value NAME=value".
std::string describe(Settings const& settings);

}  // namespace ddproxy
