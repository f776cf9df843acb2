// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/account/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/input/unit_memory.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "miniapp/options/output_clash.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy {
namespace {

constexpr std::int64_t most_batch = 1 << 20;  // largest micro-batch that is searched, in sequences

/// Returns the meanings of the words that were given, or `otherwise` if none was given.
template <class Words>
std::vector<MeaningOf<Words>> chosen(char const* option, std::vector<std::string> const& given,
                                     Words const& words, std::vector<MeaningOf<Words>> otherwise) {
  if (given.empty()) return otherwise;
  std::vector<MeaningOf<Words>> found;
  for (auto const& word : given) {
    const auto meaning =
        find_word(word, words).value();  // the parser of the command line has checked the words
    if (std::ranges::find(found, meaning) != found.end())
      throw std::invalid_argument(fmt::format("{}: {} is given twice; give each word once", option, word));
    found.push_back(meaning);
  }
  return found;
}

std::vector<MemoryMethod> methods_of(MemoryOptions const& asked) {
  const auto stages = chosen("--shard", asked.stages, shard_stage_words(), meanings(shard_stage_words()));
  const auto formats = chosen("--precision", asked.formats, memory_format_words, {model::MemoryFormat::fp32});
  std::vector<MemoryMethod> methods;
  for (const auto format : formats)
    for (const auto stage : stages) methods.push_back({stage, format});
  return methods;
}

/// Returns the largest number from 1 to `most` for which `holds`; 0 if it does not hold for 1. `holds` must
/// not become true again after it was false.
std::int64_t last_that(std::int64_t most, std::function<bool(std::int64_t)> const& holds) {
  if (!holds(1)) return 0;
  std::int64_t good = 1, bad = 2;
  while (bad <= most && holds(bad)) good = bad, bad *= 2;
  bad = std::min(bad, most + 1);
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

bool fits(model::KindBytes const& peak, double device) {
  return static_cast<double>(total(peak)) <= device;
}

/// Refuses an input whose [shard] has a unit that is larger than a device. A stage that only --shard names is
/// not refused: its rows say that the step does not fit.
void refuse_large_units(Config const& config, std::vector<MemoryMethod> const& methods,
                        std::vector<int> const& ranks, UnitRoom room) {
  if (!config.sharding.way().has_units) return;
  const auto of_stage = [&](MemoryMethod const& method) { return method.stage == config.sharding.stage; };
  const auto is_large = [](MemoryMethod const& method) {
    return method.format != model::MemoryFormat::bf16_master;
  };
  if (std::ranges::none_of(methods, of_stage)) return;
  room.element_bytes = std::ranges::all_of(methods, is_large) ? 4 : 2;
  model::Sharding over_all = config.sharding;
  over_all.group = 0;
  for (const int number : ranks)
    if (number > 1) check_units(config, over_all, static_cast<std::size_t>(number), room);
}

void check_ranks(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  const auto twice = std::ranges::adjacent_find(ranks);
  if (twice != ranks.end())
    throw std::invalid_argument(fmt::format("--ranks: {} is given twice; give each number once", *twice));
}

}  // namespace

LeastRanks least_ranks(MemoryModel const& model, MemoryMethod const& method, model::Tokens tokens,
                       double device) {
  const auto peak = [&](std::int64_t ranks) {
    return memory_case(model, method, static_cast<int>(ranks), tokens).moments.peak;
  };
  if (!model::way_of(method.stage).divided.any()) {
    const auto of_any = peak(1);
    return {method, fits(of_any, device) ? std::optional<int>(1) : std::nullopt, of_any};
  }
  const std::int64_t last =
      last_that(most_ranks_searched, [&](std::int64_t ranks) { return !fits(peak(ranks), device); });
  if (last >= most_ranks_searched) return {method, std::nullopt, peak(most_ranks_searched)};
  return {method, static_cast<int>(last) + 1, peak(last + 1)};
}

std::string_view name_of(model::ShardStage stage) {
  return model::way_of(stage).name;
}
std::string_view name_of(model::MemoryFormat format) {
  return word_of(format, memory_format_words);
}

MemoryReport make_memory_report(Options const& options) {
  MemoryOptions const& asked = options.memory;
  check_ranks(asked.ranks);
  const Config config = read_config(options.input);
  MemoryReport report{.name = config.model,
                      .parameters = parameters(model::backward_pass(config.shape)),
                      .shape = config.shape,
                      .tokens = config.tokens,
                      .micro_batches = config.step.accumulation,
                      .checkpoint = config.step.checkpoint,
                      .device_bytes = asked.device_gb ? *asked.device_gb * giga : config.device_memory,
                      .cases = {},
                      .least_ranks = {}};
  const double device = report.device_bytes;
  const auto methods = methods_of(asked);
  if (device > 0)
    refuse_large_units(config, methods, asked.ranks,
                       {device, asked.device_gb ? "a device (--device-gb)" : "a device ([machine] memory)"});
  const MemoryModel model = memory_model(config);
  for (auto const& method : methods) {
    for (const int ranks : asked.ranks) {
      auto& found = report.cases.emplace_back(memory_case(model, method, ranks, config.tokens));
      const auto fits_with = [&](std::int64_t batch) {
        return fits(memory_case(model, method, ranks, {batch, config.tokens.sequence}).moments.peak, device);
      };
      if (device > 0) found.largest_batch = last_that(most_batch, fits_with);
    }
    if (device > 0) report.least_ranks.push_back(least_ranks(model, method, config.tokens, device));
  }
  return report;
}

int memory_command(Options const& options, std::ostream& out) {
  const MemoryReport report = make_memory_report(options);
  refuse_clashes({{"the input file", options.input}}, {{"--json", options.json}});
  if (!options.json.empty()) results::write_text(options.json, to_json(report));
  out << describe(report);
  return 0;
}

}  // namespace ddproxy
