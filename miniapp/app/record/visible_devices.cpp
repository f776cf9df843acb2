// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/record/visible_devices.hpp"

#include <cstdlib>

#include "miniapp/device/device.hpp"

namespace ddproxy {
namespace {

std::string visible_devices() {
  for (char const* name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"})
    if (char const* value = std::getenv(name)) return value;
  return "";
}

}  // namespace

VisibleDevices gather_visible_devices(Runtime const& runtime) {
  if (runtime.device() < 0) return {};
  std::string reason;
  const double count = count_devices(reason);
  return {runtime.gather(visible_devices()), runtime.gather(std::vector<double>{count}),
          runtime.gather(peers_of(runtime.device()))};
}

std::string nccl_settings(Variables const& variable) {
  std::string settings;
  for (std::string name : {"NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL", "NCCL_SHM_DISABLE", "NCCL_IB_DISABLE",
                           "NCCL_NET", "NCCL_NET_GDR_LEVEL", "NCCL_ALGO", "NCCL_PROTO", "NCCL_NVLS_ENABLE",
                           "NCCL_CUMEM_ENABLE", "NCCL_MULTI_RANK_GPU_ENABLE"})
    if (char const* value = variable(name.c_str())) {
      if (!settings.empty()) settings += ' ';
      settings += name + "=" + value;
    }
  return settings.empty() ? "defaults" : settings;
}

}  // namespace ddproxy
