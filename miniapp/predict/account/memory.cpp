// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/account/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "miniapp/input/options/output_clash.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/input/unit_memory.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
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

/// Returns the largest number from 1 to `most` for which `holds` is true; 0 if it is false for 1. If `holds`
/// is false for a number, it must be false for all larger numbers.
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

bool has_stage_of_input(Config const& config, std::vector<MemoryMethod> const& methods) {
  return std::ranges::find(methods, config.sharding.stage, &MemoryMethod::stage) != methods.end();
}

/// Refuses an input whose [shard] has a unit that is larger than a device. If the stage comes from --shard
/// and not from the input, nothing is refused: the rows of this stage say that the step does not fit.
void refuse_large_units(Config const& config, std::vector<MemoryMethod> const& methods,
                        std::vector<int> const& ranks, UnitRoom room) {
  if (!config.sharding.way().has_units) return;
  const auto is_large = [](MemoryMethod const& method) {
    return method.format != model::MemoryFormat::bf16_master;
  };
  if (!has_stage_of_input(config, methods)) return;
  room.element_bytes = std::ranges::all_of(methods, is_large) ? 4 : 2;
  for (const int number : ranks)
    if (number > 1) check_units(config, config.sharding, static_cast<std::size_t>(number), room);
}

/// Returns the group of the input's [shard] if one of the methods has its stage, otherwise 0.
std::size_t group_of(Config const& config, std::vector<MemoryMethod> const& methods) {
  return has_stage_of_input(config, methods) ? config.sharding.group : 0;
}

/// Returns the numbers of ranks of --ranks, or the default numbers. With `group` > 0, refuses a number that
/// is not a multiple of the group.
std::vector<int> ranks_of(Config const& config, MemoryOptions const& asked, std::size_t group) {
  if (group == 0) return asked.ranks.empty() ? std::vector<int>{1, 8, 64} : asked.ranks;
  const int size = static_cast<int>(group);
  const auto ranks = asked.ranks.empty() ? std::vector{size, 8 * size} : asked.ranks;
  for (const int number : ranks) check_multiple(config, number);
  return ranks;
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
  LeastRanks least{.method = method, .shard = shard_name(model.config, method.stage)};
  std::int64_t number = 1;
  if (model::way_of(method.stage).divided.any()) {
    const auto group = static_cast<std::int64_t>(sharding_of(model.config, method.stage).group);
    const std::int64_t each = std::max<std::int64_t>(group, 1);
    const std::int64_t most = std::max<std::int64_t>(most_ranks_searched / each, 1);
    const std::int64_t last =
        last_that(most, [&](std::int64_t groups) { return !fits(peak(groups * each), device); });
    least.searched = static_cast<int>(most * each);
    number = std::min(last + 1, most) * each;
  }
  least.peak = peak(number);
  if (fits(least.peak, device)) least.ranks = static_cast<int>(number);
  return least;
}

void check_multiple(Config const& config, int ranks) {
  check_group(config, config.sharding);
  const int group = static_cast<int>(config.sharding.group);
  if (group == 0 || ranks % group == 0) return;
  throw std::invalid_argument(fmt::format(
      "--ranks: {} is not a multiple of the {} ranks that share a unit ([shard] group in {}); give multiples "
      "of {}, for example {} or {}, or remove group to divide a unit among all ranks",
      ranks, group, config.file.string(), group, group, 8 * group));
}

std::string shard_name(Config const& config, model::ShardStage stage) {
  model::ShardWay const& way = model::way_of(stage);
  const auto group = sharding_of(config, stage).group;
  return group > 0 ? fmt::format("{}/{}", way.name_in_groups, group) : std::string(way.name);
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
  const auto numbers = ranks_of(config, asked, group_of(config, methods));
  if (device > 0)
    refuse_large_units(config, methods, numbers,
                       {device, asked.device_gb ? "a device (--device-gb)" : "a device ([machine] memory)"});
  const MemoryModel model = memory_model(config);
  for (auto const& method : methods) {
    for (const int ranks : numbers) {
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
