// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/runtime.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <stdexcept>

#include "kernels/base/types.hpp"
#include "miniapp/cores/launch.hpp"
#include "miniapp/cores/node_cores.hpp"
#include "miniapp/cores/thread_text.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/signals.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/errors/stuck_call.hpp"
#include "miniapp/machine/freed_memory.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

// Throws if the launcher started several tasks but MPI sees only one. Without this error each task would be a
// run with one rank, and all these runs would use the same device and write the same file.
void require_launcher(int ranks) {
  for (char const* name : {"SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    char const* const tasks = std::getenv(name);
    if (ranks > 1 || !tasks || std::atoi(tasks) <= 1) continue;
    throw std::invalid_argument(
        fmt::format("the launcher started {} tasks ({}), but MPI sees only one; use the launcher of the MPI "
                    "that ddproxy was built with (mpirun, srun --mpi=pmix for Open MPI, or srun --mpi=pmi2 "
                    "for MPICH; srun --mpi=list shows which of these this SLURM has)",
                    tasks, name));
  }
}

}  // namespace

Runtime::Mpi::Mpi(int& argc, char**& argv, int threads, std::optional<CallWatch>& limit) : watch(limit) {
  keep_freed_memory([](char const* name) { return std::getenv(name); });
  int provided = 0;
  check_mpi(MPI_Init_thread(&argc, &argv, threads, &provided));
  if (provided < MPI_THREAD_SERIALIZED)
    throw std::runtime_error(
        "MPI offers no MPI_THREAD_SERIALIZED, which the communication thread needs; use another MPI");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

Runtime::Mpi::~Mpi() {
  note_step("at the end of the run");
  std::optional<CallWatch::Scope> limit;
  if (watch) limit.emplace(*watch, "MPI_Finalize");
  MPI_Finalize();
}

// Selects a device before MPI starts. Takes this rank's number on its node from the launcher's variables.
// Returns the number of the device, or -1 if none was selected.
int Runtime::select_device_early() {
  if constexpr (!on_device) return -1;
  const auto place = find_local_rank([](char const* name) { return std::getenv(name); });
  std::string reason;
  const int device = choose_device_early(
      place.launched ? std::optional(static_cast<int>(place.rank)) : std::nullopt, count_devices(reason));
  if (device >= 0) select_device(device);
  return device;
}

Runtime::Runtime(int& argc, char**& argv, RuntimeOptions const& options)
    : early_device_(select_device_early()),
      mpi_(argc, argv, options.mpi_threads, watch_),
      wish_(options.wish) {
  check_mpi(MPI_Comm_rank(communicator(), &rank_));
  check_mpi(MPI_Comm_size(communicator(), &ranks_));
  limit_calls();
  require_launcher(ranks_);
  MPI_Comm node = split_by_node();
  check_mpi(MPI_Comm_rank(node, &local_rank_));
  check_mpi(MPI_Comm_size(node, &local_ranks_));
  check_mpi(MPI_Comm_free(&node));
  auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
  if constexpr (on_device) {
    take_device(options.share_device);
    settings.set_device_id(device_);
    catch_device_failure(rank_);
  } else {
    take_cores(options.strict);
    settings.set_num_threads(threads_.threads);
  }
  Kokkos::initialize(settings);
  if constexpr (!on_device) threads_.threads = kernels::Space().concurrency();  // 1 if Kokkos has no threads
}

MPI_Comm Runtime::split_by_node() const {
  MPI_Comm node = MPI_COMM_NULL;
  const auto limit = limited("MPI_Comm_split_type");
  check_mpi(MPI_Comm_split_type(communicator(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  return node;
}

// Gathers the texts of all ranks of this node on each of these ranks. A text is cut to 64 characters.
std::vector<std::string> Runtime::share_on_node(std::string text) const {
  constexpr int longest = 64;
  text.resize(longest, '\0');
  std::string all(static_cast<std::size_t>(longest * local_ranks_), '\0');
  MPI_Comm node = split_by_node();
  const auto limit = limited("MPI_Allgather");
  check_mpi(MPI_Allgather(text.data(), longest, MPI_CHAR, all.data(), longest, MPI_CHAR, node));
  check_mpi(MPI_Comm_free(&node));
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += longest) texts.emplace_back(all.c_str() + at);
  return texts;
}

std::vector<std::size_t> Runtime::node_of_ranks() const {
  const auto lowest = std::stod(share_on_node(std::to_string(rank_)).front());
  std::vector<std::size_t> node;
  for (const double rank : gather(std::vector{lowest})) node.push_back(static_cast<std::size_t>(rank));
  return node;
}

void Runtime::limit_calls(double timeout_s, std::function<void(std::string const&)> overdue) const {
  timeout_s_ = timeout_s;
  watch_.reset();  // ends the old watch before the new one starts; no call is in progress
  on_stuck_main_thread(overdue);
  watch_.emplace(timeout_s, [=, rank = rank_](char const* call) {
    const auto step = noted_step();
    overdue(fmt::format(
        "rank {}: {} did not return within {:g} s (allreduce.timeout_s){}. Another rank or a device has "
        "stopped, or is slow. If it is only slow, raise the limit",
        rank, call, timeout_s, step.empty() ? "" : ", while " + step));
  });
}

std::optional<CallWatch::Scope> Runtime::limited_on_device() const {
  if constexpr (on_device)
    return std::optional<CallWatch::Scope>(std::in_place, *watch_, "the work enqueued on the device");
  return std::nullopt;
}

void Runtime::limit_calls() const {
  limit_calls(timeout_s_, [](std::string const& text) {
    results::say_error("ddproxy: " + text);
    std::_Exit(exit_run_time);
  });
}

Runtime::~Runtime() {
  Kokkos::finalize();
}

void Runtime::take_device(bool share) {
  std::string uuid;
  together([&] {
    if (std::getenv("KOKKOS_VISIBLE_DEVICES"))  // Kokkos would renumber the devices
      throw std::invalid_argument(
          "KOKKOS_VISIBLE_DEVICES is set; unset it, and set CUDA_VISIBLE_DEVICES instead");
    std::string reason;
    const int devices = count_devices(reason);
    device_ = choose_device(local_rank_, devices, reason);
    select_device(device_);
    uuid = describe_device(device_).uuid;
  });
  const auto uuids = share_on_node(uuid);
  ranks_on_device_ = ranks_on(uuid, uuids);
  together([&] {
    const auto complaint = complain_of_devices(uuids, share);
    if (!complaint.empty()) throw std::runtime_error(complaint);
  });
  const auto early = gather(std::vector<double>{static_cast<double>(early_device_)});
  const auto doubt =
      doubt_about_early_devices(early, gather(std::vector<double>{static_cast<double>(device_)}));
  if (!doubt.empty()) results::say_error("warning: " + doubt);
}

void Runtime::take_cores(bool strict) {
  MPI_Comm node = split_by_node();
  {
    const auto limit = limited("MPI_Allgather");
    threads_ = agree_on_threads(node, wish_);
    check_mpi(MPI_Comm_free(&node));
  }
  together([&] {
    if (strict && threads_.oversubscribed)
      throw std::invalid_argument("--strict: " + complain_of_threads({threads_}, wish_));
  });
}

}  // namespace ddproxy
