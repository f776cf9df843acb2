// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "miniapp/input/config.hpp"

// FSDP gathers a whole unit on each rank. A unit that is larger than the memory of a rank can never be
// gathered, whatever the number of ranks, so such an input is wrong. A step whose units fit may still need
// more memory than there is: see memory_need.hpp.
namespace ddproxy {

/// The memory in which a unit has to fit.
struct UnitRoom {
  double bytes = 0;       ///< infinite if it is not known
  std::string whose;      ///< its owner, as the message names it: "a device ([machine] memory)"
  int element_bytes = 4;  ///< size of a gathered parameter
};

/// Checks that each unit of a step fits `room`. The step is divided among `ranks` ranks as `sharding` says.
/// Only the stage fsdp has units. Throws std::invalid_argument if a unit is larger. The message is one line
/// that names the file and the key, and says what to do.
void check_units(Config const& config, model::Sharding const& sharding, std::size_t ranks,
                 UnitRoom const& room);

/// Returns the memory of a device, which is [machine] memory of the input. It is infinite if the input has no
/// such key.
UnitRoom room_of_device(Config const& config);

/// Returns the host memory of this machine.
UnitRoom room_of_host();

}  // namespace ddproxy
