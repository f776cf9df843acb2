// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/input/options/options.hpp"
#include "model/cost/activation_memory.hpp"
#include "model/predict/graph/memory_format.hpp"
#include "model/predict/graph/memory_moments.hpp"
#include "model/predict/graph/sharded_forms.hpp"
#include "model/transformer/forward_pass.hpp"

namespace ddproxy {

/// A way to train: how the step is sharded, and the types of its numbers.
struct MemoryMethod {
  model::ShardStage stage;
  model::MemoryFormat format;
};

/// The memory of one rank, for one method and one number of ranks.
struct MemoryCase {
  MemoryMethod method;
  std::string shard;  ///< shard_name() of the method
  int ranks = 1;
  model::MemoryMoments moments;
  model::ClosedState closed;  ///< parameters, gradients, buckets and optimizer state by the closed form
  std::int64_t buffers = 0;   ///< bytes of all buffers together: what a run of ddproxy would allocate
  /// Largest number of sequences in a micro-batch with which the peak fits a device. 0: one sequence is too
  /// many. Nothing if the memory of a device is not known.
  std::optional<std::int64_t> largest_batch = std::nullopt;
};

/// How many ranks a method needs.
struct LeastRanks {
  MemoryMethod method;
  std::string shard;                        ///< shard_name() of the method
  std::optional<int> ranks = std::nullopt;  ///< nothing: `searched` ranks are not enough
  int searched = 1;                         ///< the largest number of ranks that is tried
  /// The memory of a rank at the peak of the step, if `ranks` ranks take part. If `ranks` has no value: the
  /// memory with `searched` ranks. Without sharding the memory is the same for any number of ranks.
  model::KindBytes peak = {};
};
inline constexpr int most_ranks_searched = 65536;

/// The model whose memory is computed, and the settings of its step.
struct MemoryModel {
  /// Settings of the step, [shard] and [machine]. config.shape is used only for the times of operators.
  Config config;
  model::BackwardPass pass;
  model::ForwardPass forward;  ///< of the same model as `pass`
};
/// Returns the model and the settings of an input.
MemoryModel memory_model(Config const& config);

/// Everything that `ddproxy memory` prints.
struct MemoryReport {
  std::string name;  ///< name of the model
  std::int64_t parameters = 0;
  model::Shape shape;
  model::Tokens tokens;  ///< tokens of a micro-batch on one rank
  int micro_batches = 1;
  model::Checkpoint checkpoint = model::Checkpoint::none;
  double device_bytes = 0;  ///< memory of a device; 0: not known
  std::vector<MemoryCase> cases;
  std::vector<LeastRanks> least_ranks;  ///< empty if device_bytes is not known
};

/// Returns the memory of a rank in a step, at its peak and at other moments. `tokens` are those of a
/// micro-batch on one rank. If the input has no roofline, the times of the timeline are those of a nominal
/// machine. The memory hardly depends on them. Throws what the builders of the graphs throw.
MemoryCase memory_case(MemoryModel const& model, MemoryMethod const& method, int ranks, model::Tokens tokens);
/// Does the same for the model of an input, with `batch` sequences in a micro-batch.
MemoryCase memory_case(Config const& config, MemoryMethod const& method, int ranks, std::int64_t batch);

/// Returns the smallest number of ranks with which the peak of a step fits a device of `device` bytes. The
/// commands `memory` and `account` both use it. Tries at most most_ranks_searched ranks. If groups of ranks
/// share a unit, tries only multiples of the group size. A single group is tried even if it is larger than
/// most_ranks_searched.
LeastRanks least_ranks(MemoryModel const& model, MemoryMethod const& method, model::Tokens tokens,
                       double device);

/// Returns the memory of a rank in GB as text for people: the total, and in parentheses the kinds of buffers
/// that have at least 1 % of it, the largest first.
std::string describe_peak(model::KindBytes const& peak);

/// Computes the report. Throws std::invalid_argument with one line for wrong input.
MemoryReport make_memory_report(Options const& options);

/// Checks that the groups of the input's [shard] have at least two ranks each, and that `ranks`, a number of
/// --ranks, is a multiple of the group size. Throws std::invalid_argument otherwise. Without groups every
/// number is accepted.
void check_multiple(Config const& config, int ranks);

/// Returns the name of a stage in the tables: a word of shard_stage_words(). If groups of ranks share a unit
/// (HSDP), returns ShardWay::name_in_groups and the size of the group: "hsdp/8".
std::string shard_name(Config const& config, model::ShardStage stage);
std::string_view name_of(model::MemoryFormat format);  ///< a word of memory_format_words

/// Returns the report as text.
std::string describe(MemoryReport const& report);

/// Returns the report as JSON, with the keys that docs/memory.md lists.
std::string to_json(MemoryReport const& report);

/// Runs the command `memory`: prints to `out`, and writes the file of --json if that option is given. Returns
/// the exit code 0. Throws what make_memory_report() and results::write_text() throw, and
/// std::invalid_argument if --json would overwrite the input file.
int memory_command(Options const& options, std::ostream& out);

}  // namespace ddproxy
