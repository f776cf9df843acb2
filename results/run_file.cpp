// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "results/joined.hpp"
#include "results/reader.hpp"
#include "results/run_cases.hpp"
#include "results/run_conditions.hpp"
#include "results/run_identity.hpp"
#include "results/validity.hpp"

namespace ddproxy::results {
namespace {

std::string machine_of(Reader const& reader) {
  std::set<std::string> hosts;
  if (reader.has("/provenance/host"))
    for (std::string host : reader.texts("/provenance/host")) {
      std::erase_if(host, [](char c) { return c >= '0' && c <= '9'; });
      hosts.insert(host);
    }
  const auto ranks = reader.text("/sweep", "ranks", "?");
  std::vector<std::string> parts{reader.text("/provenance", "device_kind", "?"),
                                 ranks + (ranks == "1" ? " rank" : " ranks")};
  parts.insert(parts.end(), hosts.begin(), hosts.end());
  return joined(parts);
}

std::optional<std::int64_t> integer_of(Reader const& reader, std::string_view group, std::string_view name) {
  const auto value = reader.attribute(group, name);
  if (!value || !std::holds_alternative<std::int64_t>(*value)) return {};
  return std::get<std::int64_t>(*value);
}

double tokens_of(Reader const& reader) {
  double product = 1.0;
  for (auto [group, name] : {std::pair{"/sweep", "ranks"}, {"/model", "batch"}, {"/model", "sequence"}}) {
    const auto value = integer_of(reader, group, name);
    if (!value) return std::nan("");
    product *= static_cast<double>(*value);
  }
  return product;
}

}  // namespace

Run read_run(std::filesystem::path const& path) {
  const Reader reader(path);
  Run run;
  run.path = path;
  run.complete = reader.complete();
  run.created = reader.text("/", "created");
  run.revision = reader.text("/provenance", "git_revision");
  run.machine = machine_of(reader);
  run.label = reader.text("/", "label");
  run.tokens = tokens_of(reader);
  run.session = reader.text("/gate", "session");
  run.round = integer_of(reader, "/gate", "round").value_or(0);
  run.cases = read_cases(reader);
  run.identity = identity_of(reader);
  run.conditions = conditions_of(reader);
  run.unverified = unverified_cases(reader, run.cases);
  const bool replayed_compute = reader.text("/sweep", "compute_mode") == "replay";
  const bool replayed_reductions = reader.text("/sweep", "backend") == "replay";
  run.replay = replayed_compute || replayed_reductions;
  run.is_twin = replayed_compute && replayed_reductions;
  const bool must_say = run.complete && std::ranges::any_of(run.cases, &CaseTimes::ours);
  run.valid = updated_validity(reader.text("/fom", "valid", must_say ? "missing" : ""), replayed_compute,
                               replayed_reductions, reader.text("/sweep", "ranks") == "1" ? 1 : 2);
  for (auto& part : read_parts(reader)) run.cases.push_back(std::move(part));
  return run;
}

}  // namespace ddproxy::results
