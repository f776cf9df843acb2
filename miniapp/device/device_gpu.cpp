// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <fstream>

#include "kernels/base/foreign_call.hpp"
#include "miniapp/device/gpu.hpp"
#include "miniapp/device/marks.hpp"

namespace ddproxy {
namespace {

std::string hexadecimal(unsigned char byte) {
  constexpr char digits[] = "0123456789abcdef";
  return {digits[byte >> 4], digits[byte & 15]};
}

// Formats a UUID as the driver's tools print it: GPU- and groups of 8, 4, 4, 4 and 12 hexadecimal digits.
std::string uuid_text(char const* bytes) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hexadecimal(static_cast<unsigned char>(bytes[i]));
  }
  return text;
}

double clock_hz(decltype(gpu::clock_rate) attribute, int device) {
  int kilohertz = 0;
  gpu::check(DDPROXY_GPU(DeviceGetAttribute)(&kilohertz, attribute, device));
  return kilohertz * 1e3;
}

// CUDA encodes a version as 1000 major + 10 minor, HIP as 10^7 major + 10^5 minor + patch.
std::string version_text(int version) {
#ifdef KOKKOS_ENABLE_HIP
  constexpr int major = 10000000, minor = 100000;
#else
  constexpr int major = 1000, minor = 10;
#endif
  return std::to_string(version / major) + "." + std::to_string(version % major / minor);
}

// Returns the version of NVIDIA's kernel module of Linux, or "unknown". The file has a line such as "NVRM
// version: ... Kernel Module 580.65.06 Sun ...". The version is the first word that consists of digits and
// dots.
std::string kernel_driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return "unknown";
}

}  // namespace

Marks::Marks(std::size_t operations) {
  // One spare event is for a completion before the first operation of a step. The other is for the event that
  // must stay valid while `operations` more operations are enqueued.
  const std::size_t spare = 2;
  for (std::size_t i = 0; i < operations + spare; ++i) events_.push_back(std::make_unique<gpu::TimedEvent>());
}
Marks::~Marks() = default;

Completion Marks::record(kernels::Space const& exec) {
  auto& event = static_cast<gpu::TimedEvent&>(*events_[next_]);
  next_ = (next_ + 1) % events_.size();
  event.record(gpu::stream_of(exec));
  return {{}, &event};
}

void begin_after(kernels::Space const& exec, Completion const& completion) {
  if (completion.event)
    gpu::timed(*completion.event).hold_back(gpu::stream_of(exec));
  else
    wait_until_over(completion);
}

void adopt_device() {
  gpu::check(DDPROXY_GPU(SetDevice)(Kokkos::device_id()));
}

int count_devices(std::string& reason) {
  int count = 0;
  const auto status = DDPROXY_GPU(GetDeviceCount)(&count);
  if (status == gpu::success) return count;
  reason = DDPROXY_GPU(GetErrorString)(status);
  (void)DDPROXY_GPU(GetLastError)();
  return 0;
}

void select_device(int device) {
  if (DDPROXY_GPU(SetDevice)(device) != gpu::success) kernels::forget_foreign_error();
}

DeviceInfo describe_device(int device) {
  gpu::Properties properties;
  gpu::check(DDPROXY_GPU(GetDeviceProperties)(&properties, device));
  std::array<char, 32> bus{};
  gpu::check(DDPROXY_GPU(DeviceGetPCIBusId)(bus.data(), static_cast<int>(bus.size()), device));
  return {properties.name, uuid_text(properties.uuid.bytes), bus.data(), clock_hz(gpu::clock_rate, device),
          clock_hz(gpu::memory_clock_rate, device)};
}

std::string peers_of(int device) {
  std::string reason, peers;
  const int devices = count_devices(reason);
  for (int other = 0; other < devices; ++other) {
    int accessible = 0;
    if (other == device) continue;
    gpu::check(DDPROXY_GPU(DeviceCanAccessPeer)(&accessible, device, other));
    if (!accessible) continue;
    if (!peers.empty()) peers += ',';
    peers += std::to_string(other);
  }
  return peers;
}

// cudaGetLastError() returns an error and clears it, so a second call usually reports success. If the second
// call still reports an error, the error cannot be cleared, and the device is lost.
bool device_is_lost() {
  (void)DDPROXY_GPU(GetLastError)();
  return DDPROXY_GPU(GetLastError)() != gpu::success;
}

double free_device_memory() {
  std::size_t free = 0, total = 0;
  gpu::check(DDPROXY_GPU(MemGetInfo)(&free, &total));
  return static_cast<double>(free);
}

double device_memory() {
  std::size_t free = 0, total = 0;
  gpu::check(DDPROXY_GPU(MemGetInfo)(&free, &total));
  return static_cast<double>(total);
}

std::vector<std::pair<std::string, std::string>> device_versions() {
  int runtime = 0, driver = 0;
  gpu::check(DDPROXY_GPU(RuntimeGetVersion)(&runtime));
  gpu::check(DDPROXY_GPU(DriverGetVersion)(&driver));
  const std::string library = gpu::name;
  return {{"device_runtime", library + " " + version_text(runtime)},
          {"device_driver", library + " " + version_text(driver) + ", kernel module " + kernel_driver()}};
}

}  // namespace ddproxy
