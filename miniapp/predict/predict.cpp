// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "miniapp/input/options/output_clash.hpp"
#include "miniapp/predict/analysis/analysis.hpp"
#include "miniapp/predict/curves.hpp"
#include "miniapp/predict/prediction.hpp"
#include "miniapp/predict/prediction_json.hpp"
#include "miniapp/predict/prediction_text.hpp"
#include "miniapp/predict/sensitivity.hpp"
#include "miniapp/predict/shard_table.hpp"
#include "miniapp/predict/step_text.hpp"

namespace ddproxy {
namespace {

void warn(std::vector<Prediction> const& predictions, std::ostream& warnings) {
  std::set<std::string> said;
  for (auto const& prediction : predictions)
    for (auto const& warning : prediction.warnings)
      if (said.insert(warning).second) warnings << "warning: " << warning << '\n';
}

std::string text_of(PredictInput const& input, PredictOptions const& options, Prediction const& prediction) {
  std::string text = describe(input, prediction);
  if (prediction.score) text += score_table(*prediction.score);
  if (prediction.step) text += describe(*prediction.step);
  if (!prediction.sharding.empty())
    text += shard_table(prediction.sharding, prediction.network.ranks, input.config.device_memory);
  if (options.pytorch) text += pytorch_lines(prediction);
  return text;
}

template <class Value>
void refuse_twice(char const* option, std::vector<Value> values) {
  std::ranges::sort(values);
  const auto twice = std::ranges::adjacent_find(values);
  if (twice != values.end())
    throw std::invalid_argument(fmt::format("{}: {} is given twice; give each value once", option, *twice));
}

// Returns a message for the first prediction whose model error or regret is above its limit. Returns an empty
// string if there is none.
std::string beyond_limits(std::vector<Prediction> const& predictions, Options const& options) {
  for (auto const& prediction : predictions) {
    if (!prediction.score) continue;
    FigureOfMerit figures;
    figures.model_error = prediction.score->rows.front().second.mean_error;
    figures.regret = prediction.score->rows.front().second.regret;
    figures.why_no_error = prediction.score->why_no_error;
    figures.why_no_regret = prediction.score->why_no_regret;
    const auto beyond = beyond_limits(figures, options.max_model_error, options.max_regret);
    if (!beyond.empty()) return beyond;
  }
  return "";
}

void check_options(Options const& options) {
  auto const& asked = options.predict;
  if ((options.max_model_error || options.max_regret) && asked.measured.empty())
    throw std::invalid_argument(
        "--max-model-error, --max-regret: there are no measured times to compare with; give --measured FILE");
  if (!asked.measured.empty() && asked.ranks.size() > 1)
    throw std::invalid_argument(
        "--measured: the curve was measured with one number of ranks; give that one number with --ranks");
  refuse_twice("--ranks", asked.ranks);
  refuse_twice("--caps", asked.caps_mib);
}

void refuse_overwriting(Options const& options, Config const& config) {
  auto const& asked = options.predict;
  std::vector<UsedFile> read{{"the input file", config.file},
                             {"a table of the input", config.times},
                             {"a table of the input", config.table},
                             {"the file of --gradients", asked.gradients},
                             {"the file of --layer-sizes", asked.layer_sizes},
                             {"the file of --layer-times", asked.layer_times},
                             {"the file of --contention", asked.contention}};
  for (auto const& file : asked.allreduce) read.push_back({"a file of --allreduce", file});
  for (auto const& file : asked.measured) read.push_back({"a file of --measured", file});
  refuse_clashes(read, {{"--json", options.json}, {"--csv", asked.csv}});
}

void add_sharding(Prediction& prediction, PredictInput const& input,
                  std::vector<model::ShardStage> const& stages) {
  if (stages.empty()) return;
  prediction.sharding = shard_rows(input, prediction, stages);
  for (auto const& row : prediction.sharding)
    prediction.warnings.insert(prediction.warnings.end(), row.warnings.begin(), row.warnings.end());
}

/// The result of the command: the predictions, a text for people, and a table in CSV.
struct Answer {
  std::vector<Prediction> predictions;
  std::string text, table;
};

Answer answer(PredictInput const& input, PredictOptions const& asked) {
  Answer made;
  const auto networks = make_networks(asked, input.config);
  for (auto const& network : networks) {
    auto prediction = make_prediction(input, network);
    add_step(prediction, input);
    add_sharding(prediction, input, asked.shard);
    if (!asked.measured.empty())
      prediction.score = score_curves(asked.measured, prediction, first_bucket_of(input.config));
    if (prediction.score && !prediction.score->doubt.empty())
      prediction.warnings.push_back(prediction.score->doubt);
    if (!made.text.empty()) made.text += '\n';
    made.text += text_of(input, asked, prediction);
    made.predictions.push_back(std::move(prediction));
  }
  if (made.predictions.size() > 1)
    made.text += "\nresults of each number of ranks with its best cap:\n" + ranks_table(made.predictions);
  made.table = to_csv(made.predictions);
  if (!asked.sensitivity) return made;
  const auto rows = sensitivity(input, networks);
  made.text += '\n' + sensitivity_table(rows);
  made.table = sensitivity_csv(rows);
  if (const auto raised = raised_rows(rows); !raised.empty())
    made.predictions.front().warnings.push_back(raised);
  return made;
}

}  // namespace

// Prints and writes everything at the end, so that wrong input results in one line and no other output.
int predict(Options const& options, std::ostream& out, std::ostream& warnings) {
  check_options(options);
  const PredictInput input = read_predict_input(options);
  refuse_overwriting(options, input.config);
  const Answer made = answer(input, options.predict);
  if (!options.json.empty()) write_json(made.predictions, options.json);
  if (!options.predict.csv.empty()) write_text(options.predict.csv, made.table);
  out << made.text;
  warn(made.predictions, warnings);
  const auto beyond = beyond_limits(made.predictions, options);
  if (beyond.empty()) return 0;
  warnings << options.program << ": " << beyond << '\n';
  return 1;
}

}  // namespace ddproxy
