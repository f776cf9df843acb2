// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/cores/launch.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// Holds the devices that each rank sees. On rank 0 each list has one value for each rank; on other ranks it
/// is empty. In a build for a host all lists are empty.
struct VisibleDevices {
  /// Value of the first of CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES that is set;
  /// empty if none is set.
  std::vector<std::string> variable;
  std::vector<double> count;       ///< number of devices that the rank sees
  std::vector<std::string> peers;  ///< peers_of() of the rank's device (miniapp/device/device.hpp)
};

/// Gathers the devices that the ranks see. Collective. Throws what peers_of() throws.
VisibleDevices gather_visible_devices(Runtime const& runtime);

/// Returns those of NCCL's environment variables that choose transports and algorithms and are set, for
/// instance "NCCL_P2P_DISABLE=1 NCCL_ALGO=Ring". Returns "defaults" if none is set. `variable` returns the
/// value of a variable. Does not read NCCL's files (/etc/nccl.conf, ~/.nccl.conf).
std::string nccl_settings(Variables const& variable);

}  // namespace ddproxy
