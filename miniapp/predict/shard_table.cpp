// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/shard_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "model/cost/topology.hpp"

namespace ddproxy {
namespace {

using model::ShardStage;
using Json = nlohmann::ordered_json;

// A way to divide a step, and the settings among which the fastest is chosen.
struct Method {
  std::string name;
  std::vector<model::Sharding> choices;
};

// Returns copies of a sharding, one for each kind of unit (layer and whole).
std::vector<model::Sharding> units_of(model::Sharding sharding) {
  std::vector<model::Sharding> all;
  for (auto const& [word, unit] : shard_unit_words) {
    sharding.unit = unit;
    all.push_back(sharding);
  }
  return all;
}

// Adds the methods of a way of sharding that has units. If the way uses reshard_after_forward, there is a
// method for true and one for false. If it uses groups, there is a method with groups of [shard] group ranks.
// If the input does not have this key, a group has [machine] ranks_per_node ranks. The method with groups is
// left out if neither key is given, or if there would be only one group, or groups of one rank or of
// different sizes.
void add_unit_methods(std::vector<Method>& methods, Config const& config, model::ShardWay const& way,
                      int ranks) {
  model::Sharding sharding = sharding_of(config, way.stage);
  const std::size_t own_group = std::exchange(sharding.group, 0);
  sharding.reshard_after_forward = true;
  methods.push_back({std::string(way.name), units_of(sharding)});
  if (way.keys.reshard_after_forward) {
    sharding.reshard_after_forward = false;
    methods.push_back({fmt::format("{}, reshard_after_forward = false", way.name), units_of(sharding)});
    sharding.reshard_after_forward = true;
  }
  const int node = own_group > 0 ? static_cast<int>(own_group) : config.ranks_per_node;
  if (!way.keys.group || node < 2 || node >= ranks || ranks % node != 0) return;
  sharding.group = static_cast<std::size_t>(node);
  methods.push_back({fmt::format("{}, groups of {}", way.name_in_groups, node), units_of(sharding)});
}

std::vector<Method> methods_of(Config const& config, std::vector<ShardStage> const& stages, int ranks) {
  std::vector<Method> methods;
  for (const ShardStage stage : stages) {
    model::ShardWay const& way = model::way_of(stage);
    if (way.has_units)
      add_unit_methods(methods, config, way, ranks);
    else
      methods.push_back({std::string(way.name), {sharding_of(config, stage)}});
  }
  return methods;
}

bool is_better(ShardRow const& a, ShardRow const& b) {
  return a.fits != b.fits ? a.fits : a.step < b.step;
}

// The data from which all rows are predicted.
struct Setting {
  PredictInput const& input;
  Prediction const& prediction;
  model::PhaseCosts phases;
  std::vector<Case> cases;  // the cases of the strategy `bucketed`
};

std::vector<ShardRow> rows_of(Setting const& setting, std::string const& method,
                              model::Sharding const& sharding) {
  Config const& config = setting.input.config;
  model::Strategy strategy = strategy_of(config);
  strategy.sharding = sharding;
  model::Job job = setting.prediction.job;
  if (sharding.way().divided.any()) job.copies = {};
  const auto step =
      predict_step(config, strategy, setting.phases, job, setting.cases, setting.prediction.network.ranks,
                   setting.prediction.network.tables, setting.prediction.network.ranks_per_node);
  std::vector<ShardRow> rows;
  for (auto const& c : step.cases)
    rows.push_back({method, sharding.way().has_units ? c.name : fmt::format("{:g} MiB", c.item.cap_mib),
                    c.time.phases.step, c.time.exposed(), step.tokens_per_s(c), c.peak,
                    !StepMemory{c.peak, config.device_memory}.hypothetical(), "", step.warnings});
  return rows;
}

// Returns the row of the best choice among those that can be predicted. If none can be predicted, the row
// says why the first one cannot.
ShardRow best_row(Setting const& setting, Method const& method) {
  std::vector<ShardRow> rows;
  ShardRow none;
  none.method = method.name;
  for (auto const& sharding : method.choices) try {
      const auto more = rows_of(setting, method.name, sharding);
      rows.insert(rows.end(), more.begin(), more.end());
    } catch (std::invalid_argument const& error) {
      if (none.problem.empty()) none.problem = error.what();
    }
  if (rows.empty() && none.problem.empty())
    none.problem = "the input has no case of the strategy bucketed; add \"bucketed\" to [sweep] strategies";
  return rows.empty() ? none : *std::ranges::min_element(rows, is_better);
}

std::vector<Case> bucketed_cases(Config const& config, Workload const& workload) {
  std::vector<Case> cases;
  for (auto& item : make_cases(config, workload))
    if (item.is_bucketed()) cases.push_back(std::move(item));
  return cases;
}

}  // namespace

std::vector<ShardRow> shard_rows(PredictInput const& input, Prediction const& prediction,
                                 std::vector<ShardStage> const& stages) {
  Config const& config = input.config;
  const auto phases = config.model.empty() ? std::nullopt
                                           : roofline_phases(config, model::backward_pass(config.shape),
                                                             config.step.clip.has_value());
  if (!phases)
    throw std::invalid_argument(
        "--shard: the times of a whole step are not known; give an input file with a model, and [machine] "
        "peak_flops and bandwidth");
  if (prediction.network.ranks == 0)
    throw std::invalid_argument(
        "--shard: the all-reduce table does not say its number of ranks; give --table-ranks N");
  const Setting setting{input, prediction, *phases, bucketed_cases(config, input.workload)};
  std::vector<ShardRow> rows;
  for (auto const& method : methods_of(config, stages, prediction.network.ranks))
    rows.push_back(best_row(setting, method));
  return rows;
}

std::string shard_table(std::vector<ShardRow> const& rows, int ranks, double device) {
  std::string text = fmt::format(
      "\n"
      "sharding on {}; each method with the fastest of its choices, if possible one that fits: a bucket "
      "cap of the input (none, zero1, zero2), or the unit layer or whole (fsdp, hsdp):\n"
      "{:<35} {:<12} {:>11} {:>11} {:>11} {:>10} {:>6}\n",
      model::ranks_text(ranks), "method", "best", "step ms", "E ms", "tokens/s", "peak GB", "fits");
  const auto out = std::back_inserter(text);
  for (auto const& row : rows) {
    if (!row.problem.empty()) {
      fmt::format_to(out, "{:<35} not predicted: {}\n", row.method, row.problem);
      continue;
    }
    const auto fits = device > 0 ? (row.fits ? "yes" : "no") : "?";
    fmt::format_to(out, "{:<35} {:<12} {:>11.3f} {:>11.3f} {:>11.6g} {:>10.2f} {:>6}\n", row.method,
                   row.choice, row.step * milli, row.exposed * milli, row.tokens_per_s,
                   static_cast<double>(row.peak) / giga, fits);
  }
  if (device > 0)
    return text + fmt::format("fits: the peak is at most {:.2f} GB, [machine] memory\n", device / giga);
  return text + "fits: not known, because the input has no [machine] memory\n";
}

nlohmann::ordered_json shard_json(std::vector<ShardRow> const& rows) {
  Json list = Json::array();
  for (auto const& row : rows) {
    if (!row.problem.empty()) {
      list.push_back({{"method", row.method}, {"problem", row.problem}});
      continue;
    }
    list.push_back({{"method", row.method},
                    {"best", row.choice},
                    {"step_s", row.step},
                    {"exposed_s", row.exposed},
                    {"tokens_per_s", row.tokens_per_s},
                    {"peak_memory_bytes", row.peak},
                    {"fits", row.fits}});
  }
  return list;
}

}  // namespace ddproxy
