// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/device/device_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace ddproxy {
namespace {

constexpr double gib = 1073741824.0;
// Device memory that each rank should leave free, in bytes. The memory of the libraries is only estimated.
constexpr double spare_of_a_rank = 1 * gib;

}  // namespace

int choose_device(int local_rank, int devices, std::string const& reason) {
  if (devices <= 0)
    throw std::runtime_error(fmt::format(
        "no device was found ({}), and this build computes on a device; check nvidia-smi or rocm-smi, "
        "CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES, and the request to the scheduler, or use a build for "
        "the host",
        reason.empty() ? "the driver shows none" : reason));
  return local_rank % devices;
}

int choose_device_early(std::optional<int> launched_rank, int devices) {
  return launched_rank && devices > 0 ? *launched_rank % devices : -1;
}

std::string doubt_about_early_devices(std::vector<double> const& early, std::vector<double> const& taken) {
  std::vector<std::size_t> changed;
  for (std::size_t rank = 0; rank < early.size(); ++rank)
    if (early[rank] >= 0 && early[rank] != taken[rank]) changed.push_back(rank);
  if (changed.empty()) return "";
  const auto first = changed.front();
  return fmt::format(
      "rank{} {} changed the device after MPI had started (rank {}: from {} to {}), because the launcher's "
      "variables and MPI number the ranks of the node differently. MPI may keep memory on the first device, "
      "and an MPI that sends device memory may fail: start all ranks with the launcher of this MPI",
      changed.size() == 1 ? "" : "s", fmt::join(changed, ", "), first, early[first], taken[first]);
}

int choose_stream_priority(bool high, int least, int greatest) {
  return high ? greatest : std::clamp(0, greatest, least);
}

std::string complain_of_devices(std::vector<std::string> const& uuids, bool share) {
  const std::set<std::string> different(uuids.begin(), uuids.end());
  if (share || different.size() == uuids.size()) return "";
  return fmt::format(
      "{} ranks on this node have {} device{}: start one rank for each device, or give --share-device (for "
      "backend \"mpi\", to try things out)",
      uuids.size(), different.size(), different.size() == 1 ? "" : "s");
}

int ranks_on(std::string const& uuid, std::vector<std::string> const& uuids) {
  return static_cast<int>(std::ranges::count(uuids, uuid));
}

// The driver writes the PCI domain with eight hexadecimal digits, in upper case. The path of a device in
// Linux has four digits, in lower case.
int numa_node_of(std::string pci_bus, std::filesystem::path const& devices) {
  std::ranges::transform(pci_bus, pci_bus.begin(), [](unsigned char c) { return std::tolower(c); });
  if (pci_bus.find(':') == 8) pci_bus.erase(0, 4);
  int node = -1;
  return std::ifstream(devices / pci_bus / "numa_node") >> node ? node : -1;
}

std::string doubt_about_numa(std::vector<double> const& of_rank, std::vector<double> const& of_device) {
  std::vector<std::size_t> far;
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank)
    if (of_rank[rank] >= 0 && of_device[rank] >= 0 && of_rank[rank] != of_device[rank]) far.push_back(rank);
  if (far.empty()) return "";
  return fmt::format(
      "rank{} {} started on {} (/provenance/numa_node, device_numa_node), so data that pass through the "
      "host's memory take longer: bind each rank to the NUMA node of its device",
      far.size() == 1 ? "" : "s", fmt::join(far, ", "),
      far.size() == 1 ? "a NUMA node that is not the one of its device"
                      : "NUMA nodes that are not those of their devices");
}

std::string doubt_about_visible_devices(std::vector<double> const& counts,
                                        std::vector<std::string> const& hosts,
                                        std::vector<std::string> const& uuids) {
  std::map<std::string, std::set<std::string>> of_host;
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    if (counts[rank] == 1) of_host[hosts[rank]].insert(uuids[rank]);
  for (auto const& [host, devices] : of_host)
    if (devices.size() > 1)
      return fmt::format(
          "on host {}, each rank sees only one of {} GPUs, and not those of other ranks (--gpus-per-task of "
          "SLURM does this): NCCL and MPI may then send through the host's memory in place of NVLink. Ask "
          "for the GPUs with --gpus-per-node, and start the ranks with --gpu-bind=none",
          host, devices.size());
  return "";
}

std::string complain_of_override(bool tf32, char const* forced) {
  const std::string value = forced ? forced : "";
  if (value != (tf32 ? "0" : "1")) return "";
  return fmt::format(
      "NVIDIA_TF32_OVERRIDE={} makes matrix products {} [compute] precision says, so the results file would "
      "name the wrong precision: unset it",
      value, tf32 ? "more exact than" : "less exact than");
}

std::string complain_of_device_memory(double need, int ranks, double free) {
  if (need * ranks <= free) return "";
  return fmt::format(
      "not enough device memory: a rank needs {:.1f} GiB, all ranks on this device ({}) need {:.1f} GiB, and "
      "{:.1f} GiB are free; use a smaller model or fewer tokens{}",
      need / gib, ranks, need * ranks / gib, free / gib, ranks > 1 ? ", or fewer ranks on each device" : "");
}

std::string doubt_about_device_memory(double need, int ranks, double free) {
  const double left = free - need * ranks;
  if (left < 0 || left >= spare_of_a_rank * ranks) return "";
  return fmt::format(
      "device memory: {:.1f} GiB are free, and the run leaves {:.1f} GiB of them. The memory that cuBLAS and "
      "NCCL take is only estimated, so the run may need more memory than is free",
      free / gib, left / gib);
}

}  // namespace ddproxy
