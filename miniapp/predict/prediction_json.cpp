// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/prediction_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "miniapp/input/words.hpp"
#include "miniapp/predict/shard_table.hpp"
#include "miniapp/predict/step_text.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy {
namespace {

using Json = nlohmann::ordered_json;

Json mib(std::int64_t bytes) {
  if (bytes == model::any_cap) return nullptr;
  return static_cast<double>(bytes) / model::bytes_per_mib;
}

Json interval(model::CapRange const& range) {
  return {mib(range.low), mib(range.high)};
}

Json case_json(PredictedCase const& c) {
  const bool capped = c.item.has_cap();
  return {{"strategy", c.item.strategy.name}, {"bucket_mib", capped ? Json(c.item.cap_mib) : Json(nullptr)},
          {"buckets", c.item.plan.size()},    {"predicted_s", c.timeline.total},
          {"exposed_s", c.exposed},           {"tail_s", c.timeline.tail()}};
}

Json known(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json score_json(CurveScore const& score) {
  Json json{{"file", score.file},
            {"predictors", Json::array()},
            {"why_no_error", score.why_no_error},
            {"why_no_regret", score.why_no_regret}};
  for (auto const& [name, s] : score.rows)
    json["predictors"].push_back({{"predictor", name},
                                  {"mean_error", known(s.mean_error)},
                                  {"beyond_noise", known(s.beyond_noise)},
                                  {"max_error", known(s.max_error)},
                                  {"ordered", known(s.ordered)},
                                  {"regret", known(s.regret)}});
  return json;
}

Json prediction_json(Prediction const& p) {
  Json json{{"ranks", p.network.ranks > 0 ? Json(p.network.ranks) : Json(nullptr)},
            {"t_compute_s", p.job.t_compute},
            {"t_comm_s", p.t_comm},
            {"floor_s", p.floor},
            {"cases", Json::array()}};
  json["affine_fit"] = {
      {"alpha_s", p.affine.alpha},
      {"beta_bytes_per_s", std::isfinite(p.affine.beta) ? Json(p.affine.beta) : Json(nullptr)},
      {"error_mean", p.affine_error.mean},
      {"error_max", p.affine_error.largest}};
  for (auto const& c : p.cases) json["cases"].push_back(case_json(c));
  json["best"] = {{"bucket_mib", p.best_cap_mib()},
                  {"interval_mib", interval(p.best)},
                  {"plateau_mib", interval(p.plateau)},
                  {"predicted_s", p.best.seconds}};
  const bool many = p.network.ranks > 0;
  json["best"]["tokens_per_s"] = many && p.rank_tokens > 0 ? Json(p.tokens_per_s()) : Json(nullptr);
  json["best"]["scaling"] = many ? Json(p.scaling()) : Json(nullptr);
  json["best"]["parallel_efficiency"] = many ? Json(p.efficiency()) : Json(nullptr);
  json["plan"] = {{"bucket_cap_mb_list", model::cap_list_mib(p.pytorch.list)},
                  {"bucket_cap_mb", p.pytorch.cap_mib},
                  {"predicted_s", p.pytorch.list_seconds}};
  json["pytorch"] = {{"default_s", p.pytorch.default_seconds},
                     {"bucket_cap_mb_s", p.pytorch.cap_seconds},
                     {"bucket_cap_mb_list_s", p.pytorch.list_seconds}};
  json["warnings"] = p.warnings;
  if (p.step) json["step"] = step_json(*p.step);
  if (!p.sharding.empty()) json["sharding"] = shard_json(p.sharding);
  if (p.score) json["score"] = score_json(*p.score);
  return json;
}

}  // namespace

void write_text(std::filesystem::path const& file, std::string const& text) {
  results::write_text(file, text);
}

void write_json(std::vector<Prediction> const& predictions, std::filesystem::path const& file) {
  Json json = prediction_json(predictions.front());
  if (predictions.size() > 1)
    for (auto const& prediction : predictions) json["by_ranks"].push_back(prediction_json(prediction));
  write_text(file, json.dump(1) + "\n");
}

}  // namespace ddproxy
