// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "miniapp/input/words.hpp"
#include "miniapp/predict/account/memory.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using Json = nlohmann::ordered_json;

Json bytes_json(model::KindBytes const& bytes) {
  Json json = Json::object();
  for (auto const& [kind, of_kind] : bytes)
    if (of_kind != 0) json[std::string(name_of(kind))] = of_kind;
  return json;
}

Json bytes_json(std::optional<model::KindBytes> const& bytes) {
  return bytes ? bytes_json(*bytes) : Json(nullptr);
}

/// Returns one array of seconds, and one of bytes for each kind that is ever live.
Json timeline_json(std::vector<model::MemoryPoint> const& timeline) {
  Json json{{"seconds", Json::array()}, {"bytes", Json::object()}};
  for (auto const& point : timeline)
    for (auto const& [kind, bytes] : point.live)
      if (bytes != 0) json["bytes"][std::string(name_of(kind))] = Json::array();
  for (auto const& point : timeline) json["seconds"].push_back(point.seconds);
  for (auto& [name, values] : json["bytes"].items()) {
    for (auto const& point : timeline) {
      std::int64_t bytes = 0;
      for (auto const& [kind, of_kind] : point.live)
        if (name_of(kind) == name) bytes = of_kind;
      values.push_back(bytes);
    }
  }
  return json;
}

Json case_json(MemoryReport const& report, MemoryCase const& c) {
  Json json{{"precision", name_of(c.method.format)}, {"shard", c.shard}, {"ranks", c.ranks}};
  json["peak_bytes"] = total(c.moments.peak);
  json["peak_s"] = c.moments.peak_seconds;
  json["fits"] = report.device_bytes > 0
                     ? Json(static_cast<double>(total(c.moments.peak)) <= report.device_bytes)
                     : Json(nullptr);
  json["largest_micro_batch"] = c.largest_batch ? Json(*c.largest_batch) : Json(nullptr);
  json["buffers_bytes"] = c.buffers;
  json["start"] = bytes_json(c.moments.start);
  json["peak"] = bytes_json(c.moments.peak);
  json["before_update"] = bytes_json(c.moments.before_update);
  json["after_update"] = bytes_json(c.moments.after_update);
  json["phases"] = Json::object();
  for (auto const& [phase, bytes] : c.moments.phases)
    json["phases"][std::string(name_of(phase))] = bytes_json(bytes);
  json["closed_form"] = {{"parameter", c.closed.parameters},
                         {"gradient", c.closed.gradients},
                         {"bucket", c.closed.buckets},
                         {"optimizer_state", c.closed.optimizer}};
  json["timeline"] = timeline_json(c.moments.timeline);
  return json;
}

}  // namespace

std::string to_json(MemoryReport const& report) {
  const auto elements = model::activation_elements(report.shape);
  Json json{{"model", report.name},
            {"parameters", report.parameters},
            {"batch", report.tokens.batch},
            {"sequence", report.tokens.sequence},
            {"micro_batches", report.micro_batches},
            {"checkpoint", word_of(report.checkpoint, checkpoint_words)},
            {"device_bytes", report.device_bytes > 0 ? Json(report.device_bytes) : Json(nullptr)},
            {"cases", Json::array()},
            {"least_ranks", Json::array()}};
  for (auto const& c : report.cases) json["cases"].push_back(case_json(report, c));
  for (auto const& least : report.least_ranks)
    json["least_ranks"].push_back({{"precision", name_of(least.method.format)},
                                   {"shard", least.shard},
                                   {"ranks", least.ranks ? Json(*least.ranks) : Json(nullptr)}});
  json["activations"] = {
      {"layer_elements_per_token", elements.layer},
      {"outside_elements_per_token", elements.outside},
      {"fp32_bytes", 4 * (report.shape.layers * elements.layer + elements.outside) * report.tokens.count()},
      {"korthikanti_bytes", korthikanti_bytes(report.shape, report.tokens)}};
  return json.dump(1) + "\n";
}

}  // namespace ddproxy
