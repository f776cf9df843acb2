// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/account/published_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "miniapp/input/options/output_clash.hpp"
#include "miniapp/input/toml/find_input.hpp"
#include "model/text/echo.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy {
namespace {

namespace fs = std::filesystem;

constexpr auto published_word = "published";
constexpr auto published_file = "published/step-times-cs336.csv";
constexpr auto published_source =
    "a course report on CS336 assignment 2, whose author does not name the GPU; batch 16, context 128";

fs::path find_published() {
  const fs::path shipped = shipped_inputs();
  std::error_code absent;
  for (fs::path const& folder : {shipped, fs::path("inputs")})
    if (fs::is_regular_file(folder / published_file, absent)) return folder / published_file;
  throw std::invalid_argument(
      fmt::format("--against {}: {} is neither in {} nor in the folder inputs of the working directory; give "
                  "the path of the table instead of {}",
                  published_word, published_file, shipped.string(), published_word));
}

fs::path table_of(std::string const& against) {
  if (against == published_word) return find_published();
  std::error_code absent;
  if (!fs::exists(against, absent))
    throw std::invalid_argument(
        fmt::format("--against {}: there is no such file; give {}, or the path of a CSV table of step times",
                    model::echo(against), published_word));
  return against;
}

/// Returns the table of shares beside a table of times; an empty path if there is none.
fs::path shares_beside(fs::path const& times) {
  const fs::path file = times.parent_path() / (times.stem().string() + "-shares.csv");
  std::error_code absent;
  return fs::is_regular_file(file, absent) ? file : fs::path();
}

std::vector<FittedShare> fitted_shares(fs::path const& file, std::vector<model::StepTime> const& times,
                                       std::vector<model::SeriesFit> const& series) {
  std::vector<FittedShare> shares;
  for (model::StepShare const& share : model::read_step_shares(file, times)) {
    auto const& fit = *std::ranges::find(series, share.of.series, &model::SeriesFit::name);
    auto fitted = model::kernel_shares(share.of, fit.rows.front().published.mixed, fit.roofline);
    shares.push_back({share, fitted[share.kind]});
  }
  return shares;
}

}  // namespace

ComparedError compared_error(model::SeriesFit const& series) {
  ComparedError found;
  for (model::FittedTime const& row : series.rows) {
    if (row.published.fitted) continue;
    const double error = std::abs(row.error());
    found.rows += 1;
    found.mean += error;
    if (error < found.largest) continue;
    found.largest = error;
    found.worst = fmt::format("{}, {}", row.published.of.preset, name_of(row.published.of.part));
  }
  if (found.rows > 0) found.mean /= static_cast<double>(found.rows);
  return found;
}

PublishedComparison published_comparison(std::string const& against) {
  PublishedComparison made;
  made.file = table_of(against);
  made.share_file = shares_beside(made.file);
  if (against == published_word) made.source = published_source;
  const std::vector<model::StepTime> times = model::read_step_times(made.file);
  made.series = model::fit_step_times(times);
  if (!made.share_file.empty()) made.shares = fitted_shares(made.share_file, times, made.series);
  return made;
}

int step_against(Options const& options, std::ostream& out) {
  const PublishedComparison made = published_comparison(options.against);
  refuse_clashes({{"the table of step times", made.file}, {"the table of shares", made.share_file}},
                 {{"--json", options.json}});
  if (!options.json.empty()) results::write_text(options.json, to_json(made));
  out << describe(made);
  return 0;
}

}  // namespace ddproxy
