// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/input/options/option_groups.hpp"
#include "miniapp/input/words.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

constexpr auto about_predict =
    "Needs the times of the backward pass and a table of all-reduce times, but neither MPI nor a device.\n"
    "Prints T, E, tail and slowdown of each case, the lower bound on E, the best cap b*, and the best plan.\n"
    "T is the time of the backward pass with its all-reduces, E the time of the communication that compute "
    "does not hide. docs/glossary.md explains\n"
    "the other words.\n"
    "Exit codes: 0 success; 1 the model error is above --max-model-error, or the regret above --max-regret; "
    "2 wrong usage or input;\n"
    "4 run-time failure.";

// Returns the stages that the words of --shard name, each once.
std::vector<model::ShardStage> stages_of(std::vector<std::string> const& words) {
  std::vector<model::ShardStage> stages;
  const auto add = [&](model::ShardStage stage) {
    if (std::ranges::find(stages, stage) == stages.end()) stages.push_back(stage);
  };
  for (auto const& word : words) {
    const auto stage = find_word(word, shard_stage_words());
    if (!stage && word != "all")
      throw CLI::ValidationError("--shard", "'" + model::echo(word) +
                                                "' is unknown; use all, or a list of: " +
                                                list_words(shard_stage_words()) + note_on_stage(word));
    if (stage) add(*stage);
    if (word == "all")
      for (auto const& [name, each] : shard_stage_words()) add(each);
  }
  return stages;
}

void add_sources(CLI::App& command, Options& options) {
  auto& predict = options.predict;
  auto* input = command.add_option("INPUT", options.input,
                                   "input file (TOML, docs/input.md); the input is either this file, or "
                                   "--gradients, or --layer-sizes with --layer-times");
  auto* gradients = command.add_option("--gradients", predict.gradients,
                                       "CSV with name,numel,seconds: one row for each gradient; seconds "
                                       "says how much later this gradient is ready than the gradient of the "
                                       "previous row");
  auto* sizes = command.add_option("--layer-sizes", predict.layer_sizes,
                                   "CSV with layer,numel: elements of the gradient of each layer");
  auto* times = command.add_option("--layer-times", predict.layer_times,
                                   "CSV with layer,seconds: time of the backward pass of each layer");
  gradients->excludes(input)->excludes(sizes)->excludes(times);
  sizes->excludes(input)->needs(times);
  times->excludes(input)->needs(sizes);
  command
      .add_option_function<std::string>(
          "--order", [&](std::string const& order) { predict.forward_order = order == "forward"; },
          "order of the rows of --gradients and --layer-times: the order of the backward pass (ready, "
          "default) or of the forward pass (forward)")
      ->excludes(input)
      ->check(CLI::IsMember({"ready", "forward"}));
}

void add_network(CLI::App& command, PredictOptions& predict) {
  command
      .add_option(
          "--allreduce", predict.allreduce,
          "CSV with bytes,seconds and optionally ranks: time of one all-reduce of each size; may be repeated")
      ->allow_extra_args(false);
  command
      .add_option("--table-ranks", predict.table_ranks,
                  "number of ranks of each table that has no column `ranks`, in the order of the tables")
      ->delimiter(',')
      ->check(positive_number());
  auto* ranks = command.add_option("--ranks", predict.ranks, "numbers of ranks for which to predict")
                    ->delimiter(',')
                    ->check(positive_number());
  command.add_option("--ranks-per-node", predict.ranks_per_node, "number of ranks on each node")
      ->check(positive_number())
      ->needs(ranks);
  auto* link_latency = command
                           .add_option("--link-latency", predict.link_latency,
                                       "latency of one message between two ranks of a node (seconds). With "
                                       "--link-bandwidth it replaces the all-reduce tables")
                           ->check(number_from_zero());
  auto* link_bandwidth = command
                             .add_option("--link-bandwidth", predict.link_bandwidth_GBps,
                                         "bandwidth of the link of one rank inside a node (GB/s)")
                             ->check(positive_number());
  link_latency->needs(link_bandwidth)->needs(ranks);
  link_bandwidth->needs(link_latency);
  auto* latency = command
                      .add_option("--node-latency", predict.node_latency,
                                  "latency of one message between two nodes (seconds)")
                      ->check(number_from_zero());
  auto* bandwidth = command
                        .add_option("--node-bandwidth", predict.node_bandwidth_GBps,
                                    "bandwidth of the network link of one node (GB/s)")
                        ->check(positive_number());
  latency->needs(bandwidth);
  bandwidth->needs(latency);
  command
      .add_option("--latency-scale", predict.latency_scale,
                  "what if: multiply the latency of the all-reduce tables by this factor")
      ->check(positive_number());
  command
      .add_option("--bandwidth-scale", predict.bandwidth_scale,
                  "what if: multiply the bandwidth of the all-reduce tables by this factor")
      ->check(positive_number());
}

void add_conditions(CLI::App& command, PredictOptions& predict) {
  command
      .add_option("--caps", predict.caps_mib,
                  "bucket caps for which T and E are predicted (MiB); default: the caps of INPUT")
      ->delimiter(',')
      ->check(bucket_size());
  command
      .add_option("--first-bucket", predict.first_bucket_mib,
                  "cap of the first bucket (MiB); default: as in INPUT, or the cap of all buckets")
      ->check(bucket_size());
  auto* kappa =
      command.add_option("--kappa", predict.kappa,
                         "relative speed of compute while a collective is in flight, in (0, 1]; default 1");
  auto* gamma = command.add_option("--gamma", predict.gamma,
                                   "relative speed of a collective while compute runs, in (0, 1]; default 1");
  command
      .add_option("--contention", predict.contention,
                  "CSV with bytes,kappa,gamma: kappa and gamma for each message size on the wire")
      ->excludes(kappa)
      ->excludes(gamma);
  command.add_option("--copies", predict.copies, "copies between gradients and buckets: none, in or in+out")
      ->check(one_of(copy_words));
  command
      .add_option("--copy-bandwidth", predict.copy_bandwidth_GBps,
                  "speed of the copies of --copies, in bytes of gradients per second (GB/s); default: half "
                  "of [machine] bandwidth")
      ->check(positive_number());
  command
      .add_option("--wire", predict.wire,
                  "format of the gradients on the wire: fp32, or bf16 with half the bytes")
      ->check(one_of(wire_words));
  command
      .add_option("--precision", predict.precision,
                  "precision of the computation, if the input has a roofline")
      ->check(one_of(precision_words));
}

void add_outputs(CLI::App& command, Options& options) {
  auto& predict = options.predict;
  command
      .add_option(
          "--measured", predict.measured,
          "CSV with bucket_mib,seconds: T of each bucket size. May be repeated. The first file has measured "
          "times, with which the prediction is compared. Each further file has the T that another model "
          "predicted. ddproxy compares it with the first file in the same way")
      ->allow_extra_args(false);
  command.add_flag("--pytorch", predict.pytorch,
                   "print the bucket sizes to paste into a PyTorch DistributedDataParallel script, or say "
                   "that its default is best");
  command
      .add_option_function<std::vector<std::string>>(
          "--shard", [&](std::vector<std::string> const& words) { predict.shard = stages_of(words); },
          "print a table of the step time, E and memory for these stages of sharding: " +
              list_words(shard_stage_words()) + ", or all")
      ->delimiter(',');
  command.add_flag(
      "--sensitivity", predict.sensitivity,
      "print a table of how the best cap and E change with the size of the gradients, latency, bandwidth and "
      "number of ranks");
  command.add_option("--json", options.json, "also write the prediction to this file as JSON");
  command.add_option(
      "--csv", predict.csv,
      "also write the table of cases to this file as CSV; with --sensitivity its table instead");
}

}  // namespace

void add_predict_command(CLI::App& app, Options& options) {
  CLI::App* command =
      app.add_subcommand("predict", "predict T of each bucket size, the best bucket cap and the best plan");
  add_sources(*command, options);
  add_network(*command, options.predict);
  add_conditions(*command, options.predict);
  add_outputs(*command, options);
  add_limits(*command, options);
  command->footer(about_predict);
  command->callback([&options] { options.command = "predict"; });
}

}  // namespace ddproxy
