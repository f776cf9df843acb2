// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/run_cases.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/statistics/quantile.hpp"
#include "model/text/echo.hpp"
#include "results/run/run_identity.hpp"

namespace ddproxy::results {
namespace {

using Integers = std::vector<std::int64_t>;

double median_of_finite(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  return values.empty() ? std::nan("") : model::median(values);
}

bool is_time(double value) {
  return std::isfinite(value) && value > 0.0;
}

// Returns the maximum over the ranks for each sample. If the last samples are NaN on all ranks, they were not
// measured, and are NaN in the result. Throws std::invalid_argument for any other time that is not positive.
std::vector<double> slowest_of(std::span<const double> values, std::size_t ranks, std::string const& where) {
  const auto is_nan = [](double v) { return std::isnan(v); };
  std::size_t measured = values.size() / ranks;
  while (measured > 0 && std::ranges::all_of(values.subspan((measured - 1) * ranks, ranks), is_nan))
    --measured;
  std::vector<double> slowest(values.size() / ranks, std::nan(""));
  for (std::size_t s = 0; s < measured; ++s) {
    const auto sample = values.subspan(s * ranks, ranks);
    const auto wrong = std::ranges::find_if_not(sample, is_time);
    if (wrong != sample.end())
      throw std::invalid_argument(where + " has a time of " + std::to_string(*wrong) + " s (sample " +
                                  std::to_string(s) + ", rank " + std::to_string(wrong - sample.begin()) +
                                  "), which cannot have been measured; repeat the run");
    slowest[s] = std::ranges::max(sample);
  }
  return slowest;
}

// Replaces samples by NaN if the run left them out of its own figures, because they were measured in another
// state of the machine (docs/glossary.md).
void leave_out(Reader const& reader, std::size_t item, std::vector<double>& samples) {
  if (!reader.has("/sweep/counted")) return;
  const auto counted = reader.integers("/sweep/counted");
  const auto first = item * samples.size();
  if (counted.size() < first + samples.size())
    throw std::invalid_argument(reader.path().string() +
                                ": /sweep/counted and /sweep/measured differ in length; the file is damaged");
  for (std::size_t s = 0; s < samples.size(); ++s)
    if (counted[first + s] == 0) samples[s] = std::nan("");
}

std::vector<std::int64_t> verified_of(Reader const& reader, std::size_t cases) {
  if (!reader.has("/sweep/verified")) return std::vector<std::int64_t>(cases, -1);
  auto verified = reader.integers("/sweep/verified");
  if (verified.size() != cases)
    throw std::invalid_argument(reader.path().string() +
                                ": /sweep/verified and /sweep/name differ in length; the file is damaged");
  return verified;
}

void check_verified(Reader const& reader, std::vector<CaseTimes> const& cases) {
  const auto verified = verified_of(reader, cases.size());
  for (std::size_t c = 0; c < cases.size(); ++c)
    if (verified[c] == 0)
      throw std::invalid_argument(reader.path().string() + ": the case " + model::echo(cases[c].name) +
                                  " has wrong gradients after its all-reduces, so its time proves nothing; "
                                  "correct the build, and repeat the run");
}

// Earlier versions did not verify steps, so a file may lack the dataset.
void check_verified_step(Reader const& reader) {
  if (!reader.has("/step/verified")) return;
  const auto verified = reader.integers("/step/verified");
  if (verified.size() == 1 && verified.front() != 0) return;
  throw std::invalid_argument(
      reader.path().string() +
      ": the step computed wrong numbers when it was verified (/step/verified), so its time proves nothing; "
      "correct the build, and repeat the run");
}

// Returns whether the times of a part of a whole step can be compared by their ratio. There are three
// exceptions: exposed communication may be negative, waiting may be close to 0 and then has a large ratio,
// and a part that the step lacks, for instance clipping, has times of 0.
bool is_comparable_part(std::string const& name, std::span<const double> samples) {
  if (name == "step") return true;
  return name != "exposed" && name != "waiting" &&
         std::ranges::all_of(samples, [](double v) { return std::isnan(v) || is_time(v); });
}

// Throws std::invalid_argument if the file has only collectives. Their times depend on the group of ranks,
// and `compare` has no rule for them.
void refuse_collectives(Reader const& reader) {
  if (reader.text("/", "command") != "collectives") return;
  const auto ranks = reader.has("/collectives/ranks") ? reader.integers("/collectives/ranks") : Integers{};
  throw std::invalid_argument(
      reader.path().string() + ": has only collectives" +
      (ranks.empty() ? "" : " over groups of " + std::to_string(ranks.front()) + " ranks") +
      ", and `ddproxy compare` reads only sweeps and steps; look at the tables FILE.collectives.csv "
      "beside such files");
}

// Returns the times of the whole steps of `ddproxy step`, and of those parts that is_comparable_part()
// accepts.
std::vector<CaseTimes> read_steps(Reader const& reader) {
  check_verified_step(reader);
  const std::string file = reader.path().string();
  const auto names = reader.texts("/step/part");
  const auto values = reader.reals("/step/measured");
  const auto extents = reader.extents("/step/measured");
  if (extents[0] != names.size())
    throw std::invalid_argument(file +
                                ": /step/measured and /step/part differ in length; the file is damaged");
  std::vector<CaseTimes> cases;
  for (std::size_t p = 0; p < names.size(); ++p) {
    const auto own = std::span(values).subspan(p * extents[1], extents[1]);
    if (!is_comparable_part(names[p], own)) continue;
    auto samples = slowest_of(own, 1, file + ": the part " + model::echo(names[p]));
    const double middle = median_of_finite(samples);
    cases.push_back({names[p], "step", std::move(samples), middle, true});
  }
  return cases;
}

}  // namespace

std::vector<CaseTimes> read_cases(Reader const& reader) {
  refuse_collectives(reader);
  if (has_steps(reader)) return read_steps(reader);
  const std::string file = reader.path().string();
  const auto names = reader.texts("/sweep/name"), strategies = reader.texts("/sweep/strategy");
  const auto values = reader.reals("/sweep/measured");
  const auto extents = reader.extents("/sweep/measured");
  if (extents[0] != names.size() || strategies.size() != names.size())
    throw std::invalid_argument(file +
                                ": /sweep/measured and /sweep/name differ in length; the file is damaged");
  if (extents[2] == 0)
    throw std::invalid_argument(file + ": /sweep/measured has no ranks; the file is damaged");
  const auto sources =
      reader.has("/sweep/source") ? reader.texts("/sweep/source") : std::vector<std::string>(names.size());
  if (sources.size() != names.size())
    throw std::invalid_argument(file +
                                ": /sweep/source and /sweep/name differ in length; the file is damaged");
  std::vector<CaseTimes> cases;
  const std::size_t length = extents[1] * extents[2];
  for (std::size_t c = 0; c < names.size(); ++c) {
    const auto own = std::span(values).subspan(c * length, length);
    auto samples = slowest_of(own, extents[2], file + ": the case " + model::echo(names[c]));
    leave_out(reader, c, samples);
    const double middle = median_of_finite(samples);
    cases.push_back({names[c], strategies[c], std::move(samples), middle, sources[c] != "pytorch"});
  }
  check_verified(reader, cases);
  return cases;
}

std::vector<CaseTimes> read_parts(Reader const& reader) {
  if (!reader.has("/gate/name")) return {};
  const std::string file = reader.path().string();
  const auto names = reader.texts("/gate/name");
  const auto values = reader.reals("/gate/seconds");
  const auto extents = reader.extents("/gate/seconds");
  if (extents[0] != names.size())
    throw std::invalid_argument(file +
                                ": /gate/seconds and /gate/name differ in length; the file is damaged");
  std::vector<CaseTimes> parts;
  for (std::size_t p = 0; p < names.size(); ++p) {
    const auto own = std::span(values).subspan(p * extents[1], extents[1]);
    auto samples = slowest_of(own, 1, file + ": the part " + model::echo(names[p]));
    const double middle = median_of_finite(samples);
    parts.push_back({names[p], "part", std::move(samples), middle, true});
  }
  return parts;
}

std::vector<std::string> unverified_cases(Reader const& reader, std::vector<CaseTimes> const& cases) {
  if (has_steps(reader)) return {};  // a run of steps whose parameters are wrong ends with exit code 3
  const auto verified = verified_of(reader, cases.size());
  std::vector<std::string> names;
  for (std::size_t c = 0; c < cases.size(); ++c)
    if (cases[c].ours && std::isfinite(cases[c].seconds) && verified[c] != 1) names.push_back(cases[c].name);
  return names;
}

}  // namespace ddproxy::results
