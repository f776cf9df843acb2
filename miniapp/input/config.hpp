// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "miniapp/input/words.hpp"
#include "model/cost/layer_cost.hpp"
#include "model/cost/machine.hpp"
#include "model/step/strategies/strategy.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// From a byte to 1e9 MiB.
constexpr bool is_bucket_size(double mib) {
  return mib * model::bytes_per_mib >= 1 && mib <= 1e9;
}

/// [gate]: what a sweep times besides its cases, for `scripts/gate`.
struct GateParts {
  bool operators = false;             ///< T_compute, and of it the time of each kind of operator
  bool bucket = false;                ///< the host's cost of starting and completing one bucket
  std::vector<double> allreduce_kib;  ///< real all-reduces of these sizes, alone
};

/// An input file (docs/input.md), checked.
struct Config {
  std::filesystem::path file;
  std::string text;  ///< of the file, as it was read

  std::string model;  ///< preset's name, or "free"
  model::Shape shape;
  model::Tokens tokens;  ///< of one rank

  ComputeMode compute = ComputeMode::kernels;
  Precision precision = Precision::fp32;
  std::filesystem::path times;  ///< CSV of layer or gradient times for replay; empty: roofline of `machine`

  Backend backend = Backend::mpi;
  std::filesystem::path table;  ///< CSV of a(x) for replay
  model::CopyMode copies = model::CopyMode::none;
  WireFormat wire = WireFormat::fp32;
  int ranks = 0;  ///< n that a replayed all-reduce stands for; 0 where it is real
  Progress progress = Progress::thread;
  Call call = Call::automatic;           ///< MPI_Allreduce or MPI_Iallreduce
  Priority priority = Priority::normal;  ///< of NCCL's communication stream
  Buffers buffers = Buffers::automatic;  ///< how MPI takes device memory
  double piece_mib = 16;                 ///< an MPI all-reduce of more goes in pieces of this size
  double timeout_s = 300;                ///< of one bucket

  std::vector<model::Strategy> strategies;
  std::vector<double> caps_mib;
  double first_bucket_mib = 0;  ///< 0: the cap
  int samples = 5;              ///< of each case, at least
  double target = 0.05;    ///< how well E is to be known, see is_precise() in miniapp/analysis/stopping.hpp
  double max_seconds = 0;  ///< for samples beyond `samples`, until the target is reached; 0: none
  int warmup = 1;
  bool shared_compute =
      false;  ///< one T_compute a round that its cases share, instead of one before each case

  GateParts gate;

  model::Machine machine;
  std::map<Precision, double> peaks;  ///< flop/s at precisions other than `precision`, for predictions
  int ranks_per_node = 0;             ///< 0: not stated
  int threads = 0;                    ///< with which a rank computes on a host; 0: by its cores
};

/// Reads and checks an input file. Throws std::invalid_argument with one line naming file, line, key and what
/// to do.
Config read_config(std::filesystem::path const& file);

/// Throws std::invalid_argument for what a prediction can have and no run: replayed copies without a
/// bandwidth. What depends on the program's build is checked when it runs.
void check_can_run(Config const& config);

/// Where an input file names no caps, MiB.
inline const std::vector<double> default_caps_mib{1, 2, 4, 8, 16, 25, 32, 64, 128, 256, 512, 1024};

}  // namespace ddproxy
