// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/input/words.hpp"
#include "model/cost/machine.hpp"
#include "model/cost/operation_work.hpp"
#include "model/step/strategies/named_strategy.hpp"
#include "model/step/strategies/sharding.hpp"
#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// Returns whether a size in MiB is a valid bucket size: from one byte to 1e9 MiB.
constexpr bool is_bucket_size(double mib) {
  return mib * model::bytes_per_mib >= 1 && mib <= 1e9;
}

/// The section [gate]: the parts that a sweep times for `scripts/gate`, in addition to its cases.
/// docs/glossary.md explains the words part, case and round.
struct GateParts {
  bool operators = false;             ///< true: time T_compute, and the compute of each kind of operator
  bool bucket = false;                ///< true: time how long the host needs to start and complete one bucket
  std::vector<double> allreduce_kib;  ///< sizes of real all-reduces to time without compute, KiB
};

/// The settings of a whole training step: the keys accumulation, sync and checkpoint of the section [step],
/// and all keys of the section [optimizer].
struct StepConfig {
  /// Whether the input has at least one of these keys, or a [shard] stage that divides the step. If not,
  /// `predict` predicts the backward pass only.
  bool given = false;
  int accumulation = 1;  ///< number of micro-batches in a step
  model::Sync sync = model::Sync::last;
  model::Checkpoint checkpoint = model::Checkpoint::none;
  model::Optimizer optimizer = model::Optimizer::adamw;
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.01;  ///< parameters of AdamW
  std::optional<double> clip;  ///< upper limit of the norm of all gradients together; nothing: no clipping
};

/// A CSV table that an input names.
struct NamedTable {
  std::string file;  ///< path
  /// Hash of its content, 16 hexadecimal digits. Only hashes of one build of this program can be compared.
  std::string hash;
};

/// The content of an input file (docs/input.md), after all checks.
struct Config {
  std::filesystem::path file;
  std::string text;  ///< content of the file, as it was read
  /// The tables `times` and `table`, with hashes. Empty until a command assigns read_named_tables().
  std::vector<NamedTable> tables;

  std::string model;  ///< name of the preset, with " (changed)" if keys change its shape; "free": no preset
  model::Shape shape;
  model::Tokens tokens;  ///< one micro-batch (batch / accumulation sequences) of one rank
  StepConfig step;
  model::Sharding sharding;  ///< the section [shard]: how a whole step is divided among the ranks

  ComputeMode compute = ComputeMode::kernels;
  Precision precision = Precision::fp32;
  std::filesystem::path times;  ///< CSV of layer or gradient times, for replay; empty: uses the roofline

  Backend backend = Backend::mpi;
  std::filesystem::path table;  ///< CSV of times of collectives, for replay and for predictions
  model::CopyMode copies = model::CopyMode::none;
  WireFormat wire = WireFormat::fp32;
  int ranks = 0;  ///< number of ranks that a replayed all-reduce represents; 0: all-reduces are real
  Progress progress = Progress::thread;
  MpiCallKind mpi_call = MpiCallKind::automatic;  ///< MPI_Allreduce or MPI_Iallreduce
  Priority priority = Priority::normal;           ///< priority of NCCL's communication stream
  Buffers buffers = Buffers::automatic;  ///< whether MPI gets device memory, or copies in host memory
  double piece_mib = 16;                 ///< MiB; a larger collective of MPI is divided into such pieces
  double timeout_s = 300;  ///< time limit of a collective and of other calls in which a rank waits, seconds

  std::vector<model::NamedStrategy> strategies;
  std::vector<double> caps_mib;
  double first_bucket_mib = 0;  ///< cap of the first bucket, MiB; 0: the cap of all buckets
  int samples = 5;              ///< smallest number of samples of each case
  double target =
      0.05;  ///< how precisely E must be known: see is_precise() in miniapp/predict/analysis/stopping.hpp
  /// Time limit of all rounds together, seconds. After the first `samples` rounds, the sweep takes more
  /// rounds if E of a case is not yet known within `target` and time is left. 0: exactly `samples` rounds are
  /// taken.
  double max_seconds = 0;
  int rounds_before = 0;      ///< complete rounds of the interrupted runs that this run continues (--resume)
  double seconds_before = 0;  ///< time of these rounds, seconds; 0 without max_seconds
  /// Number of warm-ups before the first sample. In a sweep each is a pass without communication and a pass
  /// of the first case. `ddproxy step` warms up with this number of steps, but at least one.
  int warmup = 1;
  bool shared_compute =
      false;  ///< true: T_compute is measured once a round for all cases; false: before each sample of a case

  GateParts gate;

  model::Machine machine;
  /// Peak flop/s of the precisions for which the input has a key peak_flops_fp32, peak_flops_tf32 or
  /// peak_flops_bf16. `ddproxy predict` uses them.
  std::map<Precision, double> peaks;
  double device_memory = 0;  ///< bytes of memory of one device; 0: the input does not say
  int ranks_per_node = 0;    ///< 0: the input does not say
  int threads = 0;  ///< number of threads with which a rank computes on a host; 0: derived from its cores
};

/// Returns the smallest number of rounds that the sweep of this run takes: `samples` minus the rounds that
/// earlier runs have taken (--resume), but at least one.
inline int rounds_to_take(Config const& config) {
  return std::max(1, config.samples - config.rounds_before);
}

/// Returns the part of max_seconds that earlier runs have not used, in seconds. If they have used all of it,
/// returns the smallest positive number, because 0 stands for no max_seconds. Returns 0 without max_seconds.
inline double seconds_to_take(Config const& config) {
  if (config.max_seconds <= 0) return 0;
  return std::max(config.max_seconds - config.seconds_before, std::numeric_limits<double>::min());
}

/// Returns whether the step of the input is sharded.
inline bool is_sharded(Config const& config) {
  return config.sharding.way().divided.any();
}

/// Returns whether each micro-batch of the input's step adds its reduced gradients to the shards of the
/// gradients.
inline bool adds_to_shards(Config const& config) {
  auto const& sharding = config.sharding;
  const bool each_reduces =
      sharding.way().divided.gradients ||
      (config.step.sync == model::Sync::each && sharding.reduce == model::Verb::reduce_scatter);
  return is_sharded(config) && config.step.accumulation > 1 && each_reduces;
}

/// Returns whether the step has several communication lanes. Gathers and reductions may each have a lane, and
/// another lane may average between groups.
inline bool has_several_lanes(Config const& config) {
  return is_sharded(config) && (config.sharding.lanes > 1 || config.sharding.group > 0);
}

/// Returns whether the step has several communication lanes with blocking MPI calls. Each of these lanes
/// needs a thread of its own, which calls MPI.
inline bool needs_threads(Config const& config) {
  return has_several_lanes(config) && config.backend == Backend::mpi &&
         config.mpi_call == MpiCallKind::blocking;
}

/// Checks a requirement that applies to runs, but not to predictions: if compute is replayed with copies, the
/// input must give [machine] bandwidth. Throws std::invalid_argument if the bandwidth is missing.
/// Requirements that depend on the build of the program are checked when the program runs.
void check_can_run(Config const& config);

/// The bucket caps in MiB that are used if the input file gives none.
inline const std::vector<double> default_caps_mib{1, 2, 4, 8, 16, 25, 32, 64, 128, 256, 512, 1024};

}  // namespace ddproxy
