// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Replaces the driver's libnvidia-ml.so.1 in tests. It has one GPU. The environment gives its clock in MHz
// (FAKE_NVML_CLOCK), power caps in mW (FAKE_NVML_CAP, FAKE_NVML_DEFAULT_CAP), throttle reasons
// (FAKE_NVML_REASONS) and throttled times (FAKE_NVML_POWER_NS, FAKE_NVML_HEAT_NS).
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0, invalid_argument = 2, not_supported = 3, not_found = 6, most_mhz = 1980;
int gpu;

int give(char const* name, unsigned* value) {
  char const* text = std::getenv(name);
  if (!text) return not_supported;
  *value = static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  return success;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return success;
}
int nvmlShutdown() {
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(char const* bus, void** device) {
  *device = &gpu;
  return std::strcmp(bus, "00000000:3B:00.0") == 0 ? success : not_found;
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  return device == &gpu && type == 1 ? give("FAKE_NVML_CLOCK", mhz) : invalid_argument;
}

int nvmlDeviceGetMaxClockInfo(void* device, int type, unsigned* mhz) {
  *mhz = most_mhz;
  return device == &gpu && type == 1 ? success : invalid_argument;
}

int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return give("FAKE_NVML_CAP", milliwatts);
}

int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* milliwatts) {
  return give("FAKE_NVML_DEFAULT_CAP", milliwatts);
}

int nvmlDeviceGetViolationStatus(void*, int policy, unsigned long long* times) {
  unsigned value = 0;
  const int status = give(policy == 0 ? "FAKE_NVML_POWER_NS" : "FAKE_NVML_HEAT_NS", &value);
  times[0] = 12345;  // the time at which it was read, in us
  times[1] = value;
  return status;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  unsigned value = 0;
  const int status = give("FAKE_NVML_REASONS", &value);
  *reasons = value;
  return status;
}
}
