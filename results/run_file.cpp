// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "results/rank_statistics.hpp"
#include "results/reader.hpp"

namespace ddproxy::results {
namespace {

constexpr std::array<std::string_view, 8> keys{"model", "step",   "precision", "sweep",
                                               "ranks", "device", "mode",      "wire"};

template <class Texts>
std::string joined(Texts const& texts) {
  std::string all;
  for (auto const& text : texts) {
    if (!all.empty()) all += ", ";
    all += text;
  }
  return all;
}

std::string attributes(Reader const& reader, std::string_view group,
                       std::initializer_list<std::string_view> names) {
  std::vector<std::string> values;
  for (auto name : names) values.push_back(reader.text(group, name, "?"));
  return joined(values);
}

std::string names_of(std::vector<CaseTimes> const& cases) {
  std::set<std::string> names;
  for (auto const& one : cases) names.insert(one.name);
  return joined(names);
}

std::vector<std::pair<std::string, std::string>> identity_of(Reader const& reader, Run const& run) {
  return {{"model", attributes(reader, "/model", {"preset", "shape", "parameters"})},
          {"step", attributes(reader, "/model", {"batch", "sequence"})},
          {"precision", reader.text("/model", "precision", "?")},
          {"sweep", names_of(run.cases)},
          {"ranks", reader.text("/sweep", "ranks", "?")},
          {"device", reader.text("/provenance", "device_kind", "?")},
          {"mode", attributes(reader, "/sweep", {"compute_mode", "backend", "progress", "copies"})},
          {"wire", reader.text("/sweep", "wire", "fp32")}};  // earlier files have none
}

std::string machine_of(Reader const& reader) {
  std::set<std::string> hosts;
  if (reader.has("/provenance/host"))
    for (std::string host : reader.texts("/provenance/host")) {
      std::erase_if(host, [](char c) { return c >= '0' && c <= '9'; });
      hosts.insert(host);
    }
  std::vector<std::string> parts{reader.text("/provenance", "device_kind", "?"),
                                 reader.text("/sweep", "ranks", "?").append(" ranks")};
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

double median_of_finite(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  return values.empty() ? std::nan("") : median(values);
}

std::vector<CaseTimes> cases_of(Reader const& reader) {
  const auto names = reader.texts("/sweep/name"), strategies = reader.texts("/sweep/strategy");
  const auto values = reader.reals("/sweep/measured");
  const auto extents = reader.extents("/sweep/measured");
  if (extents[0] != names.size() || strategies.size() != names.size())
    throw std::invalid_argument(reader.path().string() +
                                ": /sweep/measured and /sweep/name differ in length");
  std::vector<CaseTimes> cases;
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::vector<double> samples;
    for (std::size_t s = 0; s < extents[1]; ++s) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>((c * extents[1] + s) * extents[2]);
      double slowest = std::nan("");
      for (std::size_t r = 0; r < extents[2]; ++r)
        slowest = std::fmax(slowest, begin[static_cast<std::ptrdiff_t>(r)]);
      samples.push_back(slowest);
    }
    cases.push_back({names[c], strategies[c], samples, median_of_finite(samples)});
  }
  return cases;
}

void check_verified(Reader const& reader, std::vector<CaseTimes> const& cases) {
  if (!reader.has("/sweep/verified")) return;
  const auto verified = reader.integers("/sweep/verified");
  for (std::size_t c = 0; c < std::min(cases.size(), verified.size()); ++c)
    if (verified[c] == 0)
      throw std::invalid_argument(reader.path().string() + ": the case " + cases[c].name +
                                  " reduced wrong gradients; its time means nothing");
}

std::string differences(Run const& first, Run const& other, std::span<const std::string> allowed) {
  std::string all;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    auto const& [key, value] = other.identity[k];
    if (value == first.identity[k].second || std::ranges::find(allowed, key) != allowed.end()) continue;
    all += "; " + key + ": '" + first.identity[k].second + "' against '" + value + "' (--allow " + key + ")";
  }
  return all;
}

}  // namespace

CaseTimes const* Run::find(std::string const& name) const {
  const auto found = std::ranges::find(cases, name, &CaseTimes::name);
  return found == cases.end() ? nullptr : &*found;
}

Run read_run(std::filesystem::path const& path) {
  const Reader reader(path);
  Run run;
  run.path = path;
  run.complete = reader.complete();
  run.created = reader.text("/", "created");
  run.revision = reader.text("/provenance", "git_revision");
  run.machine = machine_of(reader);
  run.tokens = tokens_of(reader);
  run.cases = cases_of(reader);
  check_verified(reader, run.cases);
  run.identity = identity_of(reader, run);
  return run;
}

std::span<const std::string_view> identity_keys() {
  return keys;
}

void check_comparable(std::span<const Run> runs, std::span<const std::string> allowed) {
  for (auto const& key : allowed)
    if (std::ranges::find(keys, key) == keys.end())
      throw std::invalid_argument("--allow " + key + ": no such key; there are " + joined(keys));
  for (std::size_t r = 1; r < runs.size(); ++r) {
    const std::string differing = differences(runs[0], runs[r], allowed);
    if (!differing.empty())
      throw std::invalid_argument(runs[0].path.string() + " and " + runs[r].path.string() +
                                  " are not comparable" + differing);
  }
}

}  // namespace ddproxy::results
