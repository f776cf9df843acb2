// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "planner/analysis.hpp"
#include "planner/curves.hpp"
#include "planner/prediction.hpp"
#include "planner/prediction_json.hpp"
#include "planner/prediction_text.hpp"
#include "planner/sensitivity.hpp"

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
  if (options.pytorch) text += pytorch_lines(prediction);
  return text;
}

template <class Value>
void refuse_twice(char const* option, std::vector<Value> values) {
  std::ranges::sort(values);
  const auto twice = std::ranges::adjacent_find(values);
  if (twice != values.end())
    throw std::invalid_argument(fmt::format("{}: {} is there twice", option, *twice));
}

// The first prediction that is beyond them, in one line.
std::string beyond_limits(std::vector<Prediction> const& predictions, Options const& options) {
  for (auto const& prediction : predictions) {
    if (!prediction.score) continue;
    FigureOfMerit figures;
    figures.model_error = prediction.score->rows.front().second.mean_error;
    figures.regret = prediction.score->rows.front().second.regret;
    const auto beyond = beyond_limits(figures, options.max_model_error, options.max_regret);
    if (!beyond.empty()) return beyond;
  }
  return "";
}

}  // namespace

int predict(Options const& options, std::ostream& out, std::ostream& warnings) {
  auto const& asked = options.predict;
  if ((options.max_model_error || options.max_regret) && asked.measured.empty())
    throw std::invalid_argument(
        "--max-model-error, --max-regret: there is nothing to be scored on; give --measured FILE");
  if (!asked.measured.empty() && asked.ranks.size() > 1)
    throw std::invalid_argument("--measured: a curve is that of one number of ranks; give one with --ranks");
  refuse_twice("--ranks", asked.ranks);
  refuse_twice("--caps", asked.caps_mib);
  const PredictInput input = read_predict_input(options);
  const auto networks = make_networks(asked, input.config);
  std::vector<Prediction> predictions;
  std::string text;  // printed at the end: wrong input gives its one line and nothing else
  for (auto const& network : networks) {
    predictions.push_back(make_prediction(input, network));
    auto& prediction = predictions.back();
    if (!asked.measured.empty())
      prediction.score = score_curves(asked.measured, prediction, first_bucket_of(input.config));
    if (prediction.score && !prediction.score->doubt.empty())
      prediction.warnings.push_back(prediction.score->doubt);
    if (!text.empty()) text += '\n';
    text += text_of(input, asked, prediction);
  }
  std::string table = to_csv(predictions);
  if (asked.sensitivity) {
    const auto rows = sensitivity(input, networks);
    text += '\n';
    text += sensitivity_table(rows);
    table = sensitivity_csv(rows);
    if (const auto raised = raised_rows(rows); !raised.empty())
      predictions.front().warnings.push_back(raised);
  }
  if (!options.json.empty()) write_json(predictions, options.json);
  if (!asked.csv.empty()) write_text(asked.csv, table);
  out << text;
  warn(predictions, warnings);
  const auto beyond = beyond_limits(predictions, options);
  if (beyond.empty()) return 0;
  warnings << options.program << ": " << beyond << '\n';
  return 1;
}

}  // namespace ddproxy
