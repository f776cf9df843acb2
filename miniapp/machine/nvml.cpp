// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddproxy {
namespace {

using Device = void*;  // nvmlDevice_t
using Return = int;    // nvmlReturn_t

constexpr Return success = 0;                  // NVML_SUCCESS
constexpr int clock_sm = 1;                    // NVML_CLOCK_SM
constexpr int by_power = 0, by_heat = 1;       // NVML_PERF_POLICY_POWER, NVML_PERF_POLICY_THERMAL
constexpr double nano = 1e-9;                  // violation times are in ns
constexpr double mega = 1e6, milli = 1e-3;     // clocks are in MHz, power in mW
constexpr std::uint64_t power_cap = 0x4;       // nvmlClocksThrottleReasonSwPowerCap
constexpr std::uint64_t hardware = 0x8;        // nvmlClocksThrottleReasonHwSlowdown
constexpr std::uint64_t software_heat = 0x20;  // nvmlClocksThrottleReasonSwThermalSlowdown
constexpr std::uint64_t hardware_heat = 0x40;  // nvmlClocksThrottleReasonHwThermalSlowdown
constexpr std::uint64_t power_brake = 0x80;    // nvmlClocksThrottleReasonHwPowerBrakeSlowdown
constexpr int throttled_steps = 32;            // added to a state number (0 to 10) if throttled
constexpr double step = 0.1;

struct ViolationTime {  // nvmlViolationTime_t
  unsigned long long reference_us, violation_ns;
};

}  // namespace

struct Nvml::Functions {
  void* library = nullptr;
  Device device = nullptr;
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  Return (*find)(char const*, Device*) = nullptr;
  Return (*clock)(Device, int, unsigned*) = nullptr;
  Return (*most_clock)(Device, int, unsigned*) = nullptr;
  Return (*power_cap)(Device, unsigned*) = nullptr;
  Return (*reasons)(Device, unsigned long long*) = nullptr;
  Return (*default_cap)(Device, unsigned*) = nullptr;          // null if the library lacks it
  Return (*violation)(Device, int, ViolationTime*) = nullptr;  // null if the library lacks it
  bool started = false;

  ~Functions() {
    if (started) shutdown();
    if (library) dlclose(library);
  }

  template <class Function>
  bool load(char const* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  bool load_all() {
    load("nvmlDeviceGetPowerManagementDefaultLimit", default_cap);
    load("nvmlDeviceGetViolationStatus", violation);
    return load("nvmlInit_v2", init) && load("nvmlShutdown", shutdown) &&
           load("nvmlDeviceGetHandleByPciBusId_v2", find) && load("nvmlDeviceGetClockInfo", clock) &&
           load("nvmlDeviceGetMaxClockInfo", most_clock) &&
           load("nvmlDeviceGetEnforcedPowerLimit", power_cap) &&
           load("nvmlDeviceGetCurrentClocksThrottleReasons", reasons);
  }

  // Returns the seconds in which power held the clock down, plus those in which heat held it down. Returns -1
  // if they are not known.
  double held_down() const {
    ViolationTime power{}, heat{};
    if (!violation || violation(device, by_power, &power) != success ||
        violation(device, by_heat, &heat) != success)
      return -1;
    return static_cast<double>(power.violation_ns + heat.violation_ns) * nano;
  }

  // Loads and starts the library and finds the GPU. Returns an error message; empty if everything succeeded.
  std::string start(std::string const& name, std::string const& pci_bus) {
    library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return fmt::format("{} cannot be loaded", name);
    if (!load_all()) return fmt::format("{} is too old: it lacks a function", name);
    if (const Return status = init(); status != success)
      return fmt::format("{} does not start (nvmlInit_v2 returned {})", name, status);
    started = true;
    if (const Return status = find(pci_bus.c_str(), &device); status != success)
      return fmt::format("{} does not know the GPU at {} (nvmlDeviceGetHandleByPciBusId_v2 returned {})",
                         name, pci_bus, status);
    return "";
  }
};

Nvml::Nvml(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}
Nvml::~Nvml() = default;

std::unique_ptr<Nvml> Nvml::open(std::string const& pci_bus, std::string& doubt, std::string const& library) {
  auto functions = std::make_unique<Functions>();
  doubt = functions->start(library, pci_bus);
  if (!doubt.empty()) return nullptr;
  std::unique_ptr<Nvml> nvml(new Nvml(std::move(functions)));
  if (nvml->read()) return nvml;
  doubt = fmt::format("{} does not give the clocks of the GPU at {}", library, pci_bus);
  return nullptr;
}

// Some GPUs have no power cap and no times of throttling, so errors of these calls are ignored. The clocks
// and the throttle reasons are required.
std::optional<GpuClocks> Nvml::read() const {
  auto const& nvml = *functions_;
  unsigned now = 0, most = 0, cap = 0, default_cap = 0;
  unsigned long long reasons = 0;
  if (nvml.clock(nvml.device, clock_sm, &now) != success ||
      nvml.most_clock(nvml.device, clock_sm, &most) != success ||
      nvml.reasons(nvml.device, &reasons) != success || now == 0 || most == 0)
    return std::nullopt;
  if (nvml.power_cap(nvml.device, &cap) != success) cap = 0;
  if (!nvml.default_cap || nvml.default_cap(nvml.device, &default_cap) != success) default_cap = 0;
  return GpuClocks{now * mega, most * mega, cap * milli, reasons, default_cap * milli, nvml.held_down()};
}

bool is_throttled(GpuClocks const& clocks) {
  return (clocks.reasons & (power_cap | hardware | software_heat | hardware_heat | power_brake)) != 0;
}

double state_number(GpuClocks const& clocks) {
  const double below = std::max(0.0, 1 - clocks.sm_hz / clocks.most_sm_hz);
  const auto steps = static_cast<int>(std::lround(below / step));
  return std::exp2(steps + (is_throttled(clocks) ? throttled_steps : 0));
}

std::string name_of_clock_state(double number) {
  const auto power = static_cast<int>(std::lround(std::log2(number)));
  const int steps = power % throttled_steps;
  std::string name = steps == 0 ? "highest clock" : fmt::format("clock {} % below its maximum", 10 * steps);
  if (power >= throttled_steps) name += ", throttled";
  return name;
}

}  // namespace ddproxy
