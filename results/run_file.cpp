// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "results/joined.hpp"
#include "results/reader.hpp"
#include "results/run_cases.hpp"
#include "results/run_conditions.hpp"
#include "results/run_identity.hpp"

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

double tokens_of(Reader const& reader) {
  double product = 1.0;
  for (auto [group, name] : {std::pair{"/sweep", "ranks"}, {"/model", "batch"}, {"/model", "sequence"}}) {
    const auto value = reader.attribute(group, name);
    if (!value || !std::holds_alternative<std::int64_t>(*value)) return std::nan("");
    product *= static_cast<double>(std::get<std::int64_t>(*value));
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
  run.cases = read_cases(reader);
  run.identity = identity_of(reader);
  run.conditions = conditions_of(reader);
  run.unverified = unverified_cases(reader, run.cases);
  run.replay =
      reader.text("/sweep", "compute_mode") == "replay" || reader.text("/sweep", "backend") == "replay";
  const bool must_say = run.complete && std::ranges::any_of(run.cases, &CaseTimes::ours);
  run.valid = reader.text("/fom", "valid", must_say ? "missing" : "");
  return run;
}

}  // namespace ddproxy::results
