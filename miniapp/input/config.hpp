// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/input/words.hpp"
#include "model/cost/layer_cost.hpp"
#include "model/cost/machine.hpp"
#include "model/step/strategies/strategy.hpp"
#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// Returns whether a size in MiB is a valid bucket size: from one byte to 1e9 MiB.
constexpr bool is_bucket_size(double mib) {
  return mib * model::bytes_per_mib >= 1 && mib <= 1e9;
}

/// The section [gate]: what a sweep times for `scripts/gate` in addition to its cases.
struct GateParts {
  bool operators = false;             ///< T_compute, and the part of it that each kind of operator takes
  bool bucket = false;                ///< the time that the host needs to start and complete one bucket
  std::vector<double> allreduce_kib;  ///< sizes in KiB of real all-reduces, timed alone
};

/// What a whole training step consists of: accumulation, sync and checkpoint of the section [step], and the
/// section [optimizer].
struct StepConfig {
  /// Whether the input gives one of these keys. Without one, the commands that handle the backward pass as
  /// well as whole steps handle the backward pass alone.
  bool given = false;
  int accumulation = 1;  ///< micro-batches of a step
  model::Sync sync = model::Sync::last;
  model::Checkpoint checkpoint = model::Checkpoint::none;
  model::Optimizer optimizer = model::Optimizer::adamw;
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.01;  ///< of AdamW
  std::optional<double> clip;  ///< the largest norm of all gradients together; nothing: they are not clipped
};

/// The content of an input file (docs/input.md), after all checks.
struct Config {
  std::filesystem::path file;
  std::string text;  ///< content of the file, as it was read

  std::string model;  ///< name of the preset, followed by " (changed)" if keys change it; "free" without one
  model::Shape shape;
  model::Tokens tokens;  ///< of one micro-batch of one rank: batch / accumulation sequences
  StepConfig step;

  ComputeMode compute = ComputeMode::kernels;
  Precision precision = Precision::fp32;
  std::filesystem::path times;  ///< CSV of layer or gradient times for replay; empty: roofline of `machine`

  Backend backend = Backend::mpi;
  std::filesystem::path table;  ///< CSV of a(x), for replay and for predictions from the input
  model::CopyMode copies = model::CopyMode::none;
  WireFormat wire = WireFormat::fp32;
  int ranks = 0;  ///< number of ranks for which a replayed all-reduce stands; 0 if it is real
  Progress progress = Progress::thread;
  Call call = Call::automatic;           ///< MPI_Allreduce or MPI_Iallreduce
  Priority priority = Priority::normal;  ///< priority of NCCL's communication stream
  Buffers buffers = Buffers::automatic;  ///< how MPI receives device memory
  double piece_mib = 16;                 ///< MiB; a larger MPI all-reduce is divided into pieces of this size
  double timeout_s = 300;                ///< longest time of one bucket, seconds

  std::vector<model::Strategy> strategies;
  std::vector<double> caps_mib;
  double first_bucket_mib = 0;  ///< cap of the first bucket, MiB; 0: the same cap as the others
  int samples = 5;              ///< smallest number of samples of each case
  double target = 0.05;  ///< how precisely E must be known, see is_precise() in miniapp/analysis/stopping.hpp
  /// Time limit of all rounds together, seconds. Within it, rounds go on beyond `samples` until E is known
  /// within `target`. 0: exactly `samples` rounds are taken.
  double max_seconds = 0;
  int warmup = 1;  ///< passes before the first sample
  bool shared_compute =
      false;  ///< true: T_compute is measured once a round for all cases; false: before each sample of a case

  GateParts gate;

  model::Machine machine;
  /// flop/s of each precision that has a key of its own (peak_flops_PRECISION), for `ddproxy predict`.
  std::map<Precision, double> peaks;
  double device_memory = 0;  ///< bytes of memory of one device; 0: the input does not say
  int ranks_per_node = 0;    ///< 0: the input does not say
  int threads = 0;           ///< number of threads with which a rank computes on a host; 0: its cores decide
};

/// Reads and checks an input file. Throws std::invalid_argument with one line that names the file, the line
/// and the key, and says what to do.
Config read_config(std::filesystem::path const& file);

/// Checks what a run needs and a prediction does not: replayed copies need a bandwidth. Throws
/// std::invalid_argument if the bandwidth is missing. What depends on the build of the program is checked
/// when the program runs.
void check_can_run(Config const& config);

/// The bucket caps in MiB of an input file that names none.
inline const std::vector<double> default_caps_mib{1, 2, 4, 8, 16, 25, 32, 64, 128, 256, 512, 1024};

}  // namespace ddproxy
