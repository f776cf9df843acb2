// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/options/option_groups.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {
namespace {

constexpr auto about_account =
    "Needs neither MPI nor a device. Prints the parameters, memory and flops of a model; the bytes that a "
    "step communicates, for each method and collective;\nthe smallest batch size with which FSDP, tensor "
    "parallelism and both together are compute-bound (How to Scale Your Model, chapter 5);\nand the smallest "
    "number of ranks with which a step fits the memory of a device. docs/memory.md has an example.\n"
    "Exit codes: 0 success; 2 wrong usage or input; 4 run-time failure.";

void add_model(CLI::App& command, Options& options) {
  AccountOptions& account = options.account;
  auto* input = command.add_option("INPUT", options.input, "input file (TOML, docs/input.md)");
  command
      .add_option("--preset", account.preset,
                  "use this model instead of INPUT: a name that [model] preset accepts, or xxl-ffn, which "
                  "has 126 feed-forward blocks of 16384 x 53248")
      ->excludes(input);
  command
      .add_option(
          "--precision", account.precision,
          "elements of weights, gradients and activations: fp32 (default with INPUT) or bf16 (default "
          "with --preset)")
      ->check(CLI::IsMember({"fp32", "bf16"}));
  command
      .add_option("--tokens", account.tokens,
                  "tokens of a rank in a micro-batch; default: the number of INPUT, or 1024 with --preset")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100000000}).description("(1 to 1e8)"));
}

void add_machine(CLI::App& command, AccountOptions& account) {
  command
      .add_option("--ranks", account.ranks,
                  "number of ranks for which communication is counted; default: 8, or 8 G if INPUT has "
                  "[shard] group = G. The number must be a multiple of G")
      ->check(CLI::Range(1, 10000000).description("(1 to 1e7)"));
  command
      .add_option("--peak-flops", account.peak_flops,
                  "peak flop/s of a device; default: [machine] peak_flops")
      ->check(positive_number());
  auto* link = command
                   .add_option("--link-bandwidth", account.link_bandwidth_GBps,
                               "bandwidth of one link of a device, both directions together (GB/s)")
                   ->check(positive_number());
  command
      .add_option("--shard-links", account.shard_links,
                  "number of links of a device that carry shards of parameters (M_X); default: 1")
      ->check(positive_number())
      ->needs(link);
  command
      .add_option("--tensor-links", account.tensor_links,
                  "number of other links of a device, which carry parts of activations (M_Y); default: 1")
      ->check(positive_number())
      ->needs(link);
  command
      .add_option("--tensor-ranks", account.tensor_ranks,
                  "number of devices over which tensor parallelism divides each block, in addition to FSDP "
                  "(Y); default: 1")
      ->check(CLI::Range(1, 10000000).description("(1 to 1e7)"))
      ->needs(link);
  command.add_option("--device-gb", account.device_gb, "memory of a device (GB); default: [machine] memory")
      ->check(positive_number());
}

}  // namespace

void add_account_command(CLI::App& app, Options& options) {
  CLI::App* command = app.add_subcommand("account",
                                         "count communication, flops and memory of a model, and find the "
                                         "smallest batch size with which a step is compute-bound");
  add_model(*command, options);
  add_machine(*command, options.account);
  command->add_option("--json", options.json, "also write the figures to this file as JSON");
  command->footer(about_account);
  command->callback([&options] {
    options.command = "account";
    if (options.input.empty() && options.account.preset.empty())
      throw CLI::ValidationError("give an input file or --preset NAME, for instance --preset xxl-ffn");
  });
}

}  // namespace ddproxy
