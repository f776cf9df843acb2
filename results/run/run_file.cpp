// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/run_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

#include "model/text/echo.hpp"
#include "results/file/reader.hpp"
#include "results/file/validity.hpp"
#include "results/run/joined.hpp"
#include "results/run/read_in_child.hpp"
#include "results/run/run_cases.hpp"
#include "results/run/run_conditions.hpp"
#include "results/run/run_identity.hpp"
#include "results/run/run_message.hpp"

namespace ddproxy::results {
namespace {

std::string machine_of(Reader const& reader) {
  std::set<std::string> hosts;
  if (reader.has("/provenance/host"))
    for (std::string host : reader.texts("/provenance/host")) {
      std::erase_if(host, [](char c) { return c >= '0' && c <= '9'; });
      hosts.insert(host);
    }
  const auto ranks = reader.text(measured_group(reader), "ranks", "?");
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
  using Name = std::pair<std::string_view, std::string_view>;
  double product =
      has_steps(reader) ? static_cast<double>(integer_of(reader, "/step", "accumulation").value_or(1)) : 1.0;
  for (auto [group, name] :
       {Name{measured_group(reader), "ranks"}, Name{"/model", "batch"}, Name{"/model", "sequence"}}) {
    const auto value = integer_of(reader, group, name);
    if (!value) return std::nan("");
    product *= static_cast<double>(*value);
  }
  return product;
}

Run run_of(std::filesystem::path const& path) {
  const Reader reader(path);
  Run run;
  run.path = path;
  run.complete = reader.complete();
  run.created = reader.text("/", "created");
  run.run_id = reader.text("/", "run_id");
  run.resumed_from = reader.text("/", "resumed_from");
  run.rounds_before = integer_of(reader, "/", "rounds_before").value_or(0);
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
  const std::string_view group = measured_group(reader);
  const bool replayed_compute = reader.text(group, "compute_mode") == "replay";
  const bool replayed_reductions = reader.text(group, "backend") == "replay";
  run.replay = replayed_compute || replayed_reductions;
  run.is_twin = replayed_compute && replayed_reductions;
  const bool must_say = run.complete && std::ranges::any_of(run.cases, &CaseTimes::ours);
  const std::string_view figures = has_steps(reader) ? "/step" : "/fom";
  run.valid = updated_validity(reader.text(figures, "valid", must_say ? "missing" : ""), replayed_compute,
                               replayed_reductions, reader.text(group, "ranks") == "1" ? 1 : 2);
  for (auto& part : read_parts(reader)) run.cases.push_back(std::move(part));
  return run;
}

constexpr std::size_t most_of_a_name = 256;  // bytes

// Checks the names of cases. Names are compared, and printed in tables. A name that has to be altered before
// it can be printed would be a different name, so it is rejected.
void check_names(Run const& run) {
  for (auto const& one : run.cases)
    for (auto const& name : {one.name, one.strategy})
      if (name.size() > most_of_a_name || !model::is_printable(name))
        throw std::invalid_argument(run.path.string() + ": the name or strategy of a case, '" +
                                    model::echo(name) + "', is not printable UTF-8 of at most " +
                                    std::to_string(most_of_a_name) +
                                    " bytes; the file is damaged, or another program wrote it");
}

void make_printable(Run& run) {
  for (auto* text : {&run.created, &run.run_id, &run.resumed_from, &run.revision, &run.machine, &run.label,
                     &run.valid, &run.session})
    *text = model::printable(*text);
  for (auto& [key, value] : run.identity) value = model::printable(value);
  for (auto& condition : run.conditions) condition.value = model::printable(condition.value);
}

// Returns the run in the answer of the child. Checks everything, because the child may be faulty in any way.
Run checked(std::filesystem::path const& path, std::string_view answer) {
  Run run;
  try {
    run = unpack(answer);
  } catch (std::invalid_argument const&) {
    throw std::invalid_argument(path.string() +
                                ": the process that read it sent an invalid answer; the file is damaged: "
                                "leave it out, or repeat the run");
  }
  run.path = path;
  if (!has_whole_identity(run) || !has_all_conditions(run))
    throw std::invalid_argument(path.string() +
                                ": the process that read it sent an incomplete run; the file is damaged: "
                                "leave it out, or repeat the run");
  check_names(run);
  make_printable(run);
  return run;
}

}  // namespace

Run read_run(std::filesystem::path const& path, double patience) {
  return checked(path, read_bytes_in_child(
                           path, [&] { return pack(run_of(path)); }, patience));
}

}  // namespace ddproxy::results
