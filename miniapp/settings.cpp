// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/settings.hpp"

#include <algorithm>
#include <array>

#include "miniapp/placement.hpp"

namespace ddproxy {
namespace {

constexpr std::array<char const*, 4> waiting{"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
                                             "KMP_LIBRARY"};

}  // namespace

bool says_how_threads_wait(Variables const& variable) {
  return std::ranges::any_of(waiting, [&](char const* name) { return variable(name) != nullptr; });
}

Settings choose_settings(int threads, int own_cores, bool communicates, std::string const& core_type,
                         Variables const& variable) {
  Settings settings;
  const auto wanted = std::to_string(threads);
  char const* const now = variable("OMP_NUM_THREADS");
  if (!now || now != wanted) settings["OMP_NUM_THREADS"] = wanted;
  if (communicates && threads > 1 && leaves_no_core(threads, own_cores) && !says_how_threads_wait(variable))
    settings["OMP_WAIT_POLICY"] = "passive";
  if (!core_type.empty() && !variable("OPENBLAS_CORETYPE")) settings["OPENBLAS_CORETYPE"] = core_type;
  return settings;
}

std::string describe(Settings const& settings) {
  std::string text;
  for (auto const& [name, value] : settings) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

}  // namespace ddproxy
