// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/words.hpp"
#include "miniapp/options/option_groups.hpp"

namespace ddproxy {
namespace {

template <class E, std::size_t n>
CLI::IsMember one_of(std::array<Word<E>, n> const& words) {
  std::vector<std::string> list;
  for (auto const& [word, meaning] : words) list.emplace_back(word);
  return CLI::IsMember(list);
}

void add_sources(CLI::App& command, Options& options) {
  auto& predict = options.predict;
  auto* input = command.add_option("INPUT", options.input, "input file, TOML");
  auto* gradients = command.add_option("--gradients", predict.gradients, "CSV with name,numel,seconds");
  auto* sizes = command.add_option("--layer-sizes", predict.layer_sizes, "CSV with layer,numel");
  auto* times = command.add_option("--layer-times", predict.layer_times, "CSV with layer,seconds");
  gradients->excludes(input)->excludes(sizes)->excludes(times);
  sizes->excludes(input)->needs(times);
  times->excludes(input)->needs(sizes);
  command
      .add_option_function<std::string>(
          "--order", [&](std::string const& order) { predict.forward_order = order == "forward"; },
          "order of the rows of these files: ready (default) or forward")
      ->excludes(input)
      ->check(CLI::IsMember({"ready", "forward"}));
}

void add_network(CLI::App& command, PredictOptions& predict) {
  command
      .add_option("--allreduce", predict.allreduce,
                  "CSV with bytes,seconds and optionally ranks; once for each table")
      ->allow_extra_args(false);
  command
      .add_option("--table-ranks", predict.table_ranks,
                  "ranks of the tables that do not say it, in their order")
      ->delimiter(',')
      ->check(positive_number());
  auto* ranks = command.add_option("--ranks", predict.ranks, "predict for these numbers of ranks")
                    ->delimiter(',')
                    ->check(positive_number());
  command.add_option("--ranks-per-node", predict.ranks_per_node, "how many ranks share a node")
      ->check(positive_number())
      ->needs(ranks);
  auto* latency =
      command.add_option("--node-latency", predict.node_latency, "seconds of a hop between nodes")
          ->check(number_from_zero());
  auto* bandwidth =
      command.add_option("--node-bandwidth", predict.node_bandwidth_GBps, "of a node's link, GB/s")
          ->check(positive_number());
  latency->needs(bandwidth);
  bandwidth->needs(latency);
  command
      .add_option("--latency-scale", predict.latency_scale,
                  "what if the tables' latency were this many times as large")
      ->check(positive_number());
  command.add_option("--bandwidth-scale", predict.bandwidth_scale, "the same for their bandwidth")
      ->check(positive_number());
}

void add_conditions(CLI::App& command, PredictOptions& predict) {
  command.add_option("--caps", predict.caps_mib, "bucket caps, MiB")->delimiter(',')->check(bucket_size());
  command.add_option("--first-bucket", predict.first_bucket_mib, "cap of the first bucket, MiB")
      ->check(bucket_size());
  auto* kappa = command.add_option("--kappa", predict.kappa,
                                   "speed of compute while a collective is in flight, in (0, 1]");
  auto* gamma =
      command.add_option("--gamma", predict.gamma, "speed of the collective while compute runs, in (0, 1]");
  command
      .add_option("--contention", predict.contention,
                  "CSV with bytes,kappa,gamma: both by the collective's bytes on the wire")
      ->excludes(kappa)
      ->excludes(gamma);
  command.add_option("--copies", predict.copies, "copies between gradients and buckets: none, in or in+out")
      ->check(one_of(copy_words));
  command
      .add_option("--copy-bandwidth", predict.copy_bandwidth_GBps,
                  "gradients copied per second, GB/s; half of [machine] bandwidth where not given")
      ->check(positive_number());
  command.add_option("--wire", predict.wire, "how gradients travel: fp32 or bf16, half the bytes")
      ->check(one_of(wire_words));
  command.add_option("--precision", predict.precision, "of the computation, for the roofline")
      ->check(one_of(precision_words));
}

void add_outputs(CLI::App& command, Options& options) {
  auto& predict = options.predict;
  command
      .add_option("--measured", predict.measured,
                  "CSV with bucket_mib,seconds: T(b) as measured; given again: another prediction of it")
      ->allow_extra_args(false);
  command.add_flag("--pytorch", predict.pytorch, "print what to hand to PyTorch's DistributedDataParallel");
  command.add_flag("--sensitivity", predict.sensitivity,
                   "tabulate the best cap and E over bytes, latency, bandwidth and ranks");
  command.add_option("--json", options.json, "write the prediction to this file too");
  command.add_option("--csv", predict.csv, "write the table to this file too");
}

}  // namespace

void add_predict_command(CLI::App& app, Options& options) {
  CLI::App* command =
      app.add_subcommand("predict", "T(b), the best cap and the best plan, without MPI or a device");
  add_sources(*command, options);
  add_network(*command, options.predict);
  add_conditions(*command, options.predict);
  add_outputs(*command, options);
  add_limits(*command, options);
  command->callback([&options] { options.command = "predict"; });
}

}  // namespace ddproxy
