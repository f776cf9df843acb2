// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/predict.hpp"

#include <set>

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
  if (!options.measured.empty())
    text += score_table(score_curves(options.measured, prediction, input.config.first_bucket_mib));
  if (options.pytorch) text += pytorch_lines(prediction);
  return text;
}

}  // namespace

void predict(Options const& options, std::ostream& out, std::ostream& warnings) {
  auto const& asked = options.predict;
  const PredictInput input = read_predict_input(options);
  const auto networks = make_networks(asked, input.config);
  std::vector<Prediction> predictions;
  std::string text;  // printed at the end: wrong input gives its one line and nothing else
  for (auto const& network : networks) {
    predictions.push_back(make_prediction(input, network));
    if (!text.empty()) text += '\n';
    text += text_of(input, asked, predictions.back());
  }
  std::string table = to_csv(predictions);
  if (asked.sensitivity) {
    const auto rows = sensitivity(input, networks);
    text += '\n';
    text += sensitivity_table(rows);
    table = sensitivity_csv(rows);
  }
  if (!options.json.empty()) write_json(predictions, options.json);
  if (!asked.csv.empty()) write_text(asked.csv, table);
  out << text;
  warn(predictions, warnings);
}

}  // namespace ddproxy
