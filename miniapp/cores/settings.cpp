// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/settings.hpp"

#include <algorithm>
#include <array>

#include "miniapp/cores/placement.hpp"

namespace ddproxy {
namespace {

constexpr std::array<char const*, 4> waiting{"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
                                             "KMP_LIBRARY"};

// A parameter of Open MPI: a call that waits yields its core to other threads between two polls.
constexpr char const* open_mpi_yields = "OMPI_MCA_mpi_yield_when_idle";

}  // namespace

bool says_how_threads_wait(Variables const& variable) {
  return std::ranges::any_of(waiting, [&](char const* name) { return variable(name) != nullptr; });
}

Settings choose_settings(Demand const& demand, Variables const& variable) {
  Settings settings;
  const auto wanted = std::to_string(demand.threads);
  char const* const now = variable("OMP_NUM_THREADS");
  if (!now || now != wanted) settings["OMP_NUM_THREADS"] = wanted;
  const bool shares_core = demand.communicates && leaves_no_core(demand.threads, demand.own_cores);
  if (shares_core && demand.threads > 1 && !says_how_threads_wait(variable))
    settings["OMP_WAIT_POLICY"] = "passive";
  if (shares_core && demand.open_mpi && !variable(open_mpi_yields)) settings.emplace(open_mpi_yields, "1");
  if (!demand.core_type.empty() && !variable("OPENBLAS_CORETYPE"))
    settings["OPENBLAS_CORETYPE"] = demand.core_type;
  return settings;
}

std::string describe(Settings const& settings) {
  std::string text;
  for (auto const& [name, value] : settings) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

}  // namespace ddproxy
