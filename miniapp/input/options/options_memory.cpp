// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/input/options/option_groups.hpp"

namespace ddproxy {
namespace {

constexpr auto about_memory =
    "Needs neither MPI nor a device. Prints the memory of a rank for each way to shard the training step: "
    "parameters, gradients, buckets, optimizer state,\n"
    "the gathered parameters of FSDP and activations, at the peak of the step and at other moments; the "
    "smallest number of ranks\n"
    "with which a step fits a device; and the largest micro-batch. results/memory.py makes figures from the "
    "file that --json writes. docs/memory.md has an example.\n"
    "Exit codes: 0 success; 2 wrong usage or input; 4 run-time failure.";

// Accepts the stages of sharding, and "all".
CLI::Validator shard_stage() {
  std::vector<std::string> words;
  for (auto const& [word, stage] : shard_stage_words()) words.emplace_back(word);
  words.emplace_back("all");
  const CLI::IsMember stages(words);
  const auto check = [stages](std::string& word) { return stages(word) + note_on_stage(word); };
  return {check, stages.get_description()};
}

}  // namespace

void add_memory_command(CLI::App& app, Options& options) {
  MemoryOptions& memory = options.memory;
  CLI::App* command =
      app.add_subcommand("memory", "predict the memory of a rank, and how many ranks a model needs");
  command->add_option("INPUT", options.input, "input file (TOML, docs/input.md)")->required();
  command
      ->add_option("--ranks", memory.ranks,
                   "numbers of ranks for which memory is predicted; default 1,8,64, or G and 8 G with "
                   "[shard] group = G")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000).description("(1 to 1e6)"));
  command
      ->add_option("--shard", memory.stages,
                   "how the step is sharded: " + list_words(shard_stage_words()) + ", or all (default)")
      ->delimiter(',')
      ->check(shard_stage());
  command
      ->add_option("--precision", memory.formats,
                   "fp32 (default); bf16: parameters, gradients and activations in bf16, and a master copy "
                   "of the parameters in fp32; autocast: parameters in fp32, products in bf16")
      ->delimiter(',')
      ->check(one_of(memory_format_words));
  command->add_option("--device-gb", memory.device_gb, "memory of a device (GB); default: [machine] memory")
      ->check(positive_number());
  command->add_option("--json", options.json,
                      "also write all figures, and the memory of each case over time, to this file as JSON");
  command->footer(about_memory);
  command->callback([&options, &memory] {
    options.command = "memory";
    if (std::ranges::find(memory.stages, "all") != memory.stages.end()) memory.stages.clear();
  });
}

}  // namespace ddproxy
