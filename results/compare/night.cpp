// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/night.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/text/echo.hpp"
#include "results/file/json_fields.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr char const* night_schema = "ddproxy-night-1";

// Returns null for NaN, because JSON has no NaN.
Json number_or_null(double value) {
  return std::isnan(value) ? Json(nullptr) : Json(value);
}

Json json_of(Night const& night) {
  Json identity = Json::object(), cases = Json::array();
  for (auto const& [key, value] : night.identity) identity[key] = value;
  for (auto const& one : night.cases)
    cases.push_back(
        {{"name", one.name}, {"log_ratio", one.log_ratio}, {"deviation", number_or_null(one.deviation)}});
  return {{"schema", night_schema},
          {"created", night.created},
          {"machine", night.machine},
          {"revision", night.revision},
          {"reference_revision", night.reference_revision},
          {"identity", identity},
          {"rounds", night.rounds},
          {"cases", cases}};
}

NightCase case_of(JsonFields const& fields) {
  NightCase one{fields.text("name"), fields.number("log_ratio"), std::nan("")};
  if (!model::is_printable(one.name)) fields.refuse("name", "has characters that cannot be printed");
  if (fields.has_null("deviation")) return one;
  one.deviation = fields.number("deviation");
  if (one.deviation < 0.0) fields.refuse("deviation", "is negative");
  return one;
}

Night night_of(JsonFields const& fields) {
  if (fields.text("schema") != night_schema) fields.refuse("schema", std::string("is not ") + night_schema);
  Night night;
  night.created = model::printable(fields.filled_text("created"));
  night.machine = model::printable(fields.text("machine"));
  night.revision = model::printable(fields.text("revision"));
  night.reference_revision = model::printable(fields.filled_text("reference_revision"));
  night.identity = fields.texts_of_object("identity");
  for (auto& [key, value] : night.identity) value = model::printable(value);
  night.rounds = fields.count("rounds");
  for (auto const& one : fields.objects("cases")) night.cases.push_back(case_of(one));
  for (std::size_t k = 0; k < night.cases.size(); ++k)
    if (night.find(night.cases[k].name) != &night.cases[k])
      fields.refuse("cases", "has the case '" + model::echo(night.cases[k].name) + "' twice");
  if (night.cases.size() < 2 || !night.find(the_whole))
    fields.refuse("cases", std::string("must have an entry '") + the_whole +
                               "' (the mean over the cases) and at least one other entry");
  return night;
}

}  // namespace

NightCase const* Night::find(std::string const& name) const {
  const auto found = std::ranges::find(cases, name, &NightCase::name);
  return found == cases.end() ? nullptr : &*found;
}

Night read_night(std::filesystem::path const& path) {
  const auto json = read_json(path);
  Night night = night_of(JsonFields(path, json));
  night.path = path;
  return night;
}

void write_night(std::filesystem::path const& path, Night const& night) {
  const Json json = Json::parse(json_of(night).dump());  // numbers that are not finite become null
  static_cast<void>(night_of(JsonFields(path, json)));
  write_text(path, json.dump(2) + '\n');
}

Night night_of(Run const& run) {
  Night night{run.path, run.created, run.machine, run.revision, "", run.identity, 0, {}};
  for (auto const& one : run.cases)
    if (one.ours && std::isfinite(one.seconds))
      night.cases.push_back({one.name, std::log(one.seconds), std::nan("")});
  return night;
}

}  // namespace ddproxy::results
