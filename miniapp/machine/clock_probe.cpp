// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/clock_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "miniapp/predict/analysis/figure_of_merit.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {

double ClockProbe::measure() {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const auto clocks = nvml_->read();
  const double furthest = runtime_.maximum(clocks ? state_number(*clocks) : unknown);
  return furthest == unknown ? not_available : furthest;
}

std::unique_ptr<StateProbe> make_clock_probe(Runtime const& runtime, std::string const& pci_bus,
                                             std::string const& library) {
  std::string doubt;
  auto nvml = Nvml::open(pci_bus, doubt, library);
  const auto doubts = runtime.gather(doubt);
  if (runtime.maximum(nvml ? 0.0 : 1.0) > 0) {
    const auto first = std::ranges::find_if_not(doubts, &std::string::empty);
    if (runtime.root())
      results::say_error(
          fmt::format("warning: {}. So ddproxy cannot notice if a GPU lowers its clocks. The times would "
                      "then be longer, and it would look as if the code were slower",
                      *first));
    return nullptr;
  }
  return std::make_unique<ClockProbe>(runtime, std::move(nvml));
}

}  // namespace ddproxy
