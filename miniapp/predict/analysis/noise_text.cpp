// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/noise_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddproxy {
namespace {

constexpr double widest = 0.5;  // an interval that is wider, relative to its median, causes a warning

double width_of(NamedTime const& one) {
  return 2 * one.time.noise() / one.time.value;
}

// Says how many of the other times are noisy, too. If there are several times, they are the T of the cases.
std::string others_text(std::size_t noisy, std::size_t others) {
  if (noisy == 0) return "";
  return "; this also holds for the T of " +
         (noisy == others ? "all other cases" : fmt::format("{} of the other {} cases", noisy, others));
}

// If another program takes the core of one thread, the other threads of the rank wait for this thread.
// Threads that spin keep their cores busy while they wait (docs/measurements/launchers.md, "Threads that
// sleep or spin").
constexpr char const* cure_of_spinning =
    ". If other programs use the cores meanwhile, set OMP_WAIT_POLICY=passive. The threads of a rank then "
    "sleep while they wait for each other. They spin now, so they lose more time to other programs";

}  // namespace

std::string noise_warning(std::vector<NamedTime> const& times, bool threads_spin) {
  std::vector<NamedTime> noisy;
  for (auto const& one : times)
    if (width_of(one) > widest) noisy.push_back(one);
  if (noisy.empty()) return "";
  auto const& [name, time] = *std::ranges::max_element(noisy, {}, width_of);
  const std::string others = others_text(noisy.size() - 1, times.size() - 1);
  return fmt::format(
      "the times are noisy: the 95 % interval of {} is {:.4g} to {:.4g} ms, which is wider than half of its "
      "median of {:.4g} ms{}. Measure again on a quiet machine, or with more samples ([sweep] samples){}",
      name, time.low * 1e3, time.high * 1e3, time.value * 1e3, others, threads_spin ? cure_of_spinning : "");
}

}  // namespace ddproxy
