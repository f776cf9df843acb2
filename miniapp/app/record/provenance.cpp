// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/record/provenance.hpp"

#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "kernels/gemm/gemm.hpp"
#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/input/words.hpp"
#include "miniapp/machine/build_info.hpp"

namespace ddproxy {
namespace {

constexpr std::array<std::string_view, 16> prefixes{
    "NCCL_",  "NVIDIA_", "CUBLAS_", "HIP_",    "RCCL_",     "UCX_", "OMPI_", "MPICH_",
    "SLURM_", "OMP_",    "GOMP_",   "KOKKOS_", "OPENBLAS_", "MKL_", "CUDA_", "HDF5_"};

// Returns whether a variable holds an address or a key that the launcher gives to its own daemons.
bool is_of_this_job(std::string_view variable) {
  return variable.find("orte_") != std::string_view::npos || variable.find("_uri") != std::string_view::npos;
}

std::vector<std::string> relevant_environment() {
  std::vector<std::string> found;
  for (char** variable = environ; *variable; ++variable)
    for (auto prefix : prefixes)
      if (std::string_view(*variable).starts_with(prefix) && !is_of_this_job(*variable))
        found.emplace_back(*variable);
  return found;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Returns the value of the first line "key : value" of /proc/cpuinfo that begins with `key`; empty if there
// is none.
std::string processor_info(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return line.substr(std::min(line.find(": ") + 2, line.size()));
  return "";
}

double clock_hz() {
  const auto text = processor_info("cpu MHz");
  return text.empty() ? std::nan("") : std::stod(text) * 1e6;
}

// Returns the processors that this thread may use, in the form of taskset: 0-3,8
std::string binding() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "unknown";
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    int last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cpu) + (last > cpu ? fmt::format("-{}", last) : "");
    cpu = last;
  }
  return text;
}

int numa_node() {
  unsigned cpu = 0, node = 0;
  return getcpu(&cpu, &node) == 0 ? static_cast<int>(node) : -1;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return std::string(text.data()).substr(0, std::string_view(text.data()).find('\n'));
}

// Describes the accelerator of this rank, or its processor if it has none. The memory clock of a processor is
// not known.
DeviceInfo describe_own_device(Runtime const& runtime) {
  if (runtime.device() >= 0) return describe_device(runtime.device());
  return {processor_info("model name"), "", "", clock_hz(), std::nan("")};
}

std::vector<double> gather_number(Runtime const& runtime, double mine) {
  return runtime.gather(std::vector<double>{mine});
}

// Returns the number of threads with which a rank computes, for instance "4", or "3 or 4" if ranks differ.
// Returns an empty text if compute is replayed or runs on a device. Collective; complete on rank 0.
std::string threads_of_a_rank(RankContext const& context) {
  const auto all = context.runtime.gather(std::to_string(kernels::Space().concurrency()));
  if (context.config.compute == ComputeMode::replay || context.runtime.device() >= 0) return "";
  return fmt::format("{}", fmt::join(std::set(all.begin(), all.end()), " or "));
}

std::string kokkos_configuration() {
  std::ostringstream stream;
  Kokkos::print_configuration(stream);
  return stream.str();
}

// Describes the program, its libraries, its threads, and the device that computes. Collective.
std::vector<std::pair<std::string, std::string>> gather_attributes(RankContext const& context,
                                                                   DeviceInfo const& device) {
  const bool replay = context.config.compute == ComputeMode::replay;
  const bool by_nccl = context.config.backend == Backend::nccl;
  std::vector<std::pair<std::string, std::string>> attributes{
      {"git_revision", git_revision},
      {"compiler", compiler},
      {"flags", flags},
      {"kokkos", kokkos_configuration()},
      {"mpi", mpi_version()},
      {"nccl", nccl_version()},
      {"nccl_settings", by_nccl ? nccl_settings(std::getenv) : ""},
      {"allreduce", context.allreduce->description()},
      {"blas", replay ? "not used" : kernels::gemm_backend()},
      {"blas_advice", replay ? "" : kernels::gemm_advice()},
      {"threads", threads_of_a_rank(context)},
      {"device_kind", replay ? "replay" : device.name}};
  for (auto& version : device_versions()) attributes.push_back(std::move(version));
  return attributes;
}

// Gathers where each rank runs: its host, its device, its processors and their clocks. Collective.
void gather_places(Provenance& provenance, Runtime const& runtime, DeviceInfo const& device) {
  provenance.host = gather_hosts(runtime);
  provenance.device = runtime.gather(device.name);
  provenance.uuid = runtime.gather(device.uuid);
  provenance.pci_bus = runtime.gather(device.pci_bus);
  provenance.binding = runtime.gather(binding());
  provenance.numa_node = gather_number(runtime, numa_node());
  provenance.device_numa_node = gather_number(runtime, numa_node_of(device.pci_bus));
  provenance.visible = gather_visible_devices(runtime);
  provenance.clock_hz = gather_number(runtime, device.clock_hz);
  provenance.memory_clock_hz = gather_number(runtime, device.memory_clock_hz);
}

void gather_library_memory(Provenance& provenance, RankContext const& context) {
  provenance.context_memory = gather_number(context.runtime, context.libraries.context);
  provenance.blas_memory = gather_number(context.runtime, context.libraries.blas);
  provenance.nccl_memory = gather_number(context.runtime, context.libraries.nccl);
}

}  // namespace

std::vector<std::string> gather_hosts(Runtime const& runtime) {
  return runtime.gather(host_name());
}

Provenance gather_provenance(RankContext const& context) {
  const DeviceInfo device = describe_own_device(context.runtime);
  Provenance provenance;
  provenance.attributes = gather_attributes(context, device);
  provenance.threads = report_threads(context.runtime);
  provenance.attributes.emplace_back("placement", provenance.threads.line);
  provenance.attributes.emplace_back("second_start", provenance.threads.second_start);
  provenance.environment = relevant_environment();
  gather_places(provenance, context.runtime, device);
  if (context.runtime.device() >= 0) gather_library_memory(provenance, context);
  return provenance;
}

}  // namespace ddproxy
