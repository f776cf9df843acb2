// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/compute/shared_floats.hpp"
#include "miniapp/input/buffer_list.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/machine/state_probe.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"
#include "miniapp/measure/pass/library_memory.hpp"
#include "miniapp/predict/analysis/figure_of_merit.hpp"

namespace ddproxy {

/// Everything that is needed to measure on this rank. `config` and `runtime` must outlive this object.
struct RankContext {
  Config const& config;
  Runtime const& runtime;
  Workload workload;
  RankBuffers buffers = {};  ///< the list of this rank's buffers
  SharedFloats owner = {};   ///< keeps the elements of `memory`, `arena` and `gradients` alive
  /// The buffers of a step: the buckets, followed by the gradients. If the gradients are not copied, buckets
  /// and gradients are the same elements. Empty if both compute and all-reduces are replayed.
  std::span<float> memory = {};
  std::span<float> arena = {};      ///< the part of `memory` with the buckets: all gradients in ready order
  std::span<float> gradients = {};  ///< the part of `memory` that the backward pass writes, in the same order
  /// The copies between gradients and buckets. Their bandwidth comes from the input, until a command measures
  /// it on this machine.
  model::Copies copies = {};
  std::unique_ptr<ComputeLane> backward = nullptr;
  std::unique_ptr<CommunicationLane> allreduce = nullptr;
  /// The MPI calls of all-reduces (miniapp/measure/calibration/choose_mpi_calls.hpp).
  MpiCallChoice choice = {};
  double device_free = 0;  ///< free bytes of the run's device before the run allocated anything there
  double file_need = 0;    ///< bytes of memory that rank 0 needs for the results file
  std::unique_ptr<StateProbe> probe = nullptr;  ///< probes the machine's state; null: no probe
  /// Device memory that the libraries took. Measured only if no other rank uses this rank's device.
  LibraryMemory libraries = {};
  /// true: the operators of contention runs (contention_operations() in
  /// miniapp/input/workload.hpp) do not use the arena. false: they write the gradients in it.
  bool arena_is_free = false;
  /// This rank's place among the ranks of the lane `allreduce`, if these are not all ranks of the run.
  std::optional<GroupPlace> group = std::nullopt;
  /// true: the groups of ranks are those of replica_groups() (miniapp/input/step_strategy.hpp).
  bool strided = false;
  bool exact_calls = false;  ///< collectives that are measured are exact (CollectiveCall::exact)

  /// Returns the index of the first gradient element in `memory`.
  std::size_t gradients_at() const { return memory.size() - gradients.size(); }
  /// Returns, for each buffer of a graph, the index of its first element in `memory`.
  std::vector<std::size_t> places(model::StepGraph const& graph) const;
  /// Returns the step of a case (a strategy with its plan) on this rank, ready to run.
  CompiledStep compile(Case const& item) const;
  /// Returns the backward pass without communication, ready to run.
  CompiledStep compile_backward() const;
  /// Makes the communication lane that the input asks for, on `memory`. `with` chooses the MPI calls. The
  /// time limit of the input ([allreduce] timeout_s) applies while this function waits for other ranks.
  /// Throws as ddproxy::make_allreduce() (make_allreduce.hpp) does. Collective.
  std::unique_ptr<CommunicationLane> make_allreduce(MpiCallChoice const& with) const;
  /// Makes `allreduce`. If it uses NCCL, also carries out the first all-reduce. Measures the device memory
  /// that the libraries take, if no other rank uses this rank's device. Throws as make_allreduce() does.
  /// Collective.
  void start_libraries();
  /// Returns the seconds that the copy of one element takes in a replay, from the bandwidth in `copies`.
  /// Returns 0 if nothing is copied.
  double element_copy_seconds() const;
  /// Returns whether this run really copies gradients into buckets, so that the copies can be measured.
  bool copies_for_real() const { return ddproxy::copies_for_real(config); }
  /// Returns whether all-reduces are carried out. If not, they are replayed.
  bool reduces() const { return config.backend != Backend::replay; }
  /// Returns the number of ranks that carry out passes: all of them, or only rank 0 if all-reduces are
  /// replayed.
  int computing_ranks() const { return reduces() ? runtime.ranks() : 1; }
  /// Returns whether this rank carries out passes.
  bool computes() const { return runtime.rank() < computing_ranks(); }
  /// Measures and returns the value of the probe, for instance the seconds of a round trip between cores.
  /// Returns NaN if the value is unknown or there is no probe. Collective.
  double probe_state() const { return probe ? probe->measure() : not_available; }
  /// Returns this rank's place among the ranks of the lane `allreduce`.
  GroupPlace place() const { return group.value_or(GroupPlace{runtime.rank(), runtime.ranks()}); }
  /// Returns the number of ranks n. If all-reduces are replayed, this is [allreduce] ranks of the input.
  int ranks() const { return reduces() ? runtime.ranks() : config.ranks; }
  /// Returns the groups of ranks on which the lane `allreduce` works. Without `group` all ranks are one
  /// group.
  Grouping grouping() const {
    const int of_group = group ? group->ranks : ranks();
    const int groups = ranks() / of_group;
    return {of_group, groups, 0, strided ? groups : 1};
  }
};

/// What is going to be measured: the backward pass, or whole steps. If compute is real, only whole steps
/// support Llama models; a replay supports them in both.
enum class Measured { backward, steps };

/// Checks that this build and this machine can do what the input asks for. Does not check the memory. Sets
/// the precision of matrix products if compute is real. Throws as make_rank_context() does. Collective.
void check_input_on(Config const& config, Runtime const& runtime, Measured what);

/// Checks that this build and this machine can do what the input asks for. Then allocates the memory and
/// makes the lanes. `file_need` is the number of bytes that rank 0 needs in memory for the results file, as
/// results_memory() (miniapp/input/results_need.hpp) returns it; 0 if the caller writes no file.
/// `scattered` is the argument of the same name of pass_buffers() (miniapp/input/buffer_list.hpp).
/// `config` and `runtime` must outlive the result.
///
/// Throws CollectiveError (miniapp/machine/runtime.hpp) on all ranks. The exit code is 4 if the memory of
/// the host or of the device does not suffice; this is checked before memory is allocated. It is also 4 if
/// NCCL would have to run several ranks on one device, and NCCL_MULTI_RANK_GPU_ENABLE is not set. The exit
/// code is 2 if another check of the input fails. For example, several ranks must not be started if
/// all-reduces are replayed, unless `[gate] allreduce_kib` asks for real ones. Collective.
RankContext make_rank_context(Config const& config, Workload workload, Runtime const& runtime,
                              double file_need = 0, std::size_t scattered = 0);

}  // namespace ddproxy
