// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/toml/read_config.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "miniapp/input/toml/find_input.hpp"
#include "miniapp/input/toml/section.hpp"
#include "miniapp/input/toml/training_sections.hpp"
#include "miniapp/input/words.hpp"
#include "model/text/echo.hpp"
#include "model/text/read_text.hpp"

namespace ddproxy {
namespace {

// Upper limits of the input. The comment of most_ranks (training_sections.hpp) says how they are chosen.
constexpr std::int64_t most_samples = 100000, most_threads = 4096;

constexpr std::size_t largest_file = 1 << 20;  // bytes; a usual input file has a few thousand

constexpr std::array<std::string_view, 9> sections{"model",     "step",  "shard", "optimizer", "compute",
                                                   "allreduce", "sweep", "gate",  "machine"};

constexpr std::array<Word<bool>, 2> compute_samples_words{{{"case", false}, {"round", true}}};

void read_compute(Config& config, Section section) {
  config.compute = section.choice("mode", ComputeMode::kernels, compute_mode_words);
  config.precision = section.choice("precision", Precision::fp32, precision_words);
  config.times = section.path("times");
  section.finish();
  if (config.compute == ComputeMode::kernels && !config.times.empty())
    section.fail("times", "is only for mode = \"replay\"; remove this key, or set mode = \"replay\"");
}

void read_allreduce(Config& config, Section section) {
  config.backend = section.choice("backend", Backend::mpi, backend_words);
  config.table = section.path("table");
  config.ranks = static_cast<int>(section.integer("ranks", 0, 1, most_ranks));
  config.copies = section.choice("copies", model::CopyMode::none, copy_words);
  config.wire = section.choice("wire", WireFormat::fp32, wire_words);
  config.progress = section.choice("progress", Progress::thread, progress_words);
  config.mpi_call = section.choice("call", config.mpi_call, call_kind_words);
  config.priority = section.choice("priority", config.priority, priority_words);
  config.buffers = section.choice("buffers", config.buffers, buffers_words);
  config.piece_mib = section.positive("piece_mib", config.piece_mib);
  if (config.piece_mib < 0.001 || config.piece_mib > 4096)
    section.fail("piece_mib",
                 fmt::format("{} is out of range; it must be from 0.001 to 4096", config.piece_mib));
  config.timeout_s = section.positive("timeout_s", config.timeout_s);
  section.finish();
  if (config.mpi_call == MpiCallKind::blocking && config.progress != Progress::thread)
    section.fail(
        "call",
        "\"blocking\" needs progress = \"thread\", because without a thread nothing is computed while the "
        "call blocks; set progress = \"thread\", or call = \"nonblocking\"");
  const bool replay = config.backend == Backend::replay;
  if (replay && config.table.empty())
    section.fail("table",
                 "is missing, but backend = \"replay\" reads all-reduce times from it; give a CSV file with "
                 "bytes,seconds");
  if (replay && config.ranks == 0)
    section.fail("ranks",
                 "is missing, but backend = \"replay\" simulates a machine; give its number of ranks");
  if (!replay && config.ranks != 0)
    section.fail("ranks",
                 "is only for backend = \"replay\"; remove this key, and start the ranks with mpirun -n");
}

void read_sweep(Config& config, Section section) {
  for (auto const& name : section.text_list("strategies", {"naive", "flat", "per_tensor", "bucketed"})) {
    const auto* strategy = model::find_strategy(name);
    if (!strategy)
      section.fail("strategies",
                   fmt::format("'{}' is unknown; use: {}", model::echo(name), model::list_strategies()));
    config.strategies.push_back(*strategy);
  }
  config.caps_mib = section.positive_list("caps_mib", default_caps_mib);
  for (double cap : config.caps_mib)
    if (!is_bucket_size(cap))
      section.fail("caps_mib", fmt::format("{} MiB is not a bucket size; give 1 byte to 1e9 MiB", cap));
  config.first_bucket_mib = section.positive("first_bucket_mib", 0);
  if (config.first_bucket_mib != 0 && !is_bucket_size(config.first_bucket_mib))
    section.fail("first_bucket_mib",
                 fmt::format("{} MiB is not a bucket size; give 1 byte to 1e9 MiB", config.first_bucket_mib));
  config.samples = static_cast<int>(section.integer("samples", config.samples, 1, most_samples));
  config.target = section.positive("target", config.target);
  config.max_seconds = section.positive("max_seconds", config.max_seconds);
  config.warmup = static_cast<int>(section.integer("warmup", config.warmup, 0, most_samples));
  config.shared_compute = section.choice("compute_samples", false, compute_samples_words);
  section.finish();
}

void read_gate(Config& config, Section section) {
  config.gate.operators = section.flag("operators", false);
  config.gate.bucket = section.flag("bucket", false);
  config.gate.allreduce_kib = section.positive_list("allreduce_kib", {});
  for (double kib : config.gate.allreduce_kib)
    if (!is_bucket_size(kib / 1024) || kib > 1024 * 1024)
      section.fail("allreduce_kib", fmt::format("{} KiB is not a message size; give 1 byte to 1 GiB", kib));
  section.finish();
  if (config.gate.operators && config.compute == ComputeMode::replay)
    section.fail("operators",
                 "needs [compute] mode = \"kernels\", because replayed operators compute nothing: they only "
                 "wait for the time that a table or the roofline gives");
}

void read_machine(Config& config, Section section) {
  config.machine.peak_flops = section.positive("peak_flops", 0);
  for (auto const& [word, precision] : precision_words)
    if (const double peak = section.positive("peak_flops_" + std::string(word), 0); peak > 0)
      config.peaks[precision] = peak;
  config.machine.bandwidth = section.positive("bandwidth", 0);
  config.machine.efficiency = section.positive("efficiency", 1);
  if (config.machine.efficiency > 1)
    section.fail("efficiency",
                 fmt::format("{} is too large; it is a share of the roofline, so it must be at most 1",
                             config.machine.efficiency));
  config.device_memory = section.positive("memory", 0);
  config.ranks_per_node = static_cast<int>(section.integer("ranks_per_node", 0, 1, most_ranks));
  config.threads = static_cast<int>(section.integer("threads", 0, 1, most_threads));
  section.finish();
  const bool given = config.machine.peak_flops > 0 && config.machine.bandwidth > 0;
  if (config.compute == ComputeMode::replay && config.times.empty() && !given)
    section.fail("peak_flops",
                 "is missing, but [compute] mode = \"replay\" needs times; give a CSV file of layer times in "
                 "[compute] times, or [machine] peak_flops and bandwidth for a roofline");
}

}  // namespace

Config read_config(std::filesystem::path const& name) {
  Config config;
  config.file = find_input(name);
  auto const& file = config.file;
  config.text = model::read_text(file, largest_file);
  const toml::table root = parse_input(file, config.text, sections);
  read_training(config, root);
  read_compute(config, Section(root, "compute", file));
  read_allreduce(config, Section(root, "allreduce", file));
  read_sweep(config, Section(root, "sweep", file));
  read_gate(config, Section(root, "gate", file));
  read_machine(config, Section(root, "machine", file));
  return config;
}

void check_can_run(Config const& config) {
  const auto refuse = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("{}: [allreduce] {}", config.file.string(), what));
  };
  if (config.copies != model::CopyMode::none && config.compute == ComputeMode::replay &&
      !(config.machine.bandwidth > 0))
    refuse(
        "copies: the time of a replayed copy follows from [machine] bandwidth, which is missing; give it in "
        "bytes/s");
}

}  // namespace ddproxy
