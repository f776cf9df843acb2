// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "miniapp/input/units.hpp"
#include "miniapp/predict/account/published_steps.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

constexpr double least_memory_share = 0.05;  // with a smaller memory_share the bandwidth is uncertain

std::string bandwidth_text(double bandwidth) {
  return std::isfinite(bandwidth) ? fmt::format("{:.3g} TB/s", bandwidth / tera)
                                  : std::string("unlimited memory bandwidth");
}

std::string rates_text(model::LaunchRoofline const& roofline) {
  return fmt::format("{:.1f} Tflop/s, {}, {:.1f} us for the launch of each kernel",
                     roofline.peak_flops / tera, bandwidth_text(roofline.bandwidth), roofline.launch * micro);
}

/// Returns the presets of the rows to which the roofline was fitted. Each preset is named once, in the order
/// of the rows.
std::string fitted_presets(model::SeriesFit const& series) {
  std::string text;
  std::set<std::string> named;
  for (auto const& row : series.rows)
    if (row.published.fitted && named.insert(row.published.of.preset).second)
      text += (text.empty() ? "" : " and ") + row.published.of.preset;
  return text;
}

std::string doubt_text(model::SeriesFit const& series) {
  if (series.memory_share >= least_memory_share) return "";
  if (series.memory_share < 0.0005)
    return "The bandwidth is uncertain: in this fit, kernels that the memory bandwidth limits take almost "
           "none of the time\n";
  return fmt::format(
      "The bandwidth is uncertain: in this fit, kernels that the memory bandwidth limits take only {:.1f} % "
      "of the time of all kernels\n",
      100 * series.memory_share);
}

std::string fit_text(model::SeriesFit const& series) {
  const std::string presets = fitted_presets(series);
  if (!series.rows.front().published.warm)
    return fmt::format(
        "{}: measured without warm-up. Each fitted time is the time that the roofline of the series {} "
        "gives, plus {:.1f} ms. These {:.1f} ms are fitted to the times of {}\n",
        series.name, series.base, series.startup * milli, series.startup * milli, presets);
  if (!series.base.empty())
    return fmt::format("{}: {}. The bandwidth is that of {}; peak and launch time are fitted on {}\n",
                       series.name, rates_text(series.roofline), series.base, presets);
  return fmt::format("{}: {}, fitted on {}\n", series.name, rates_text(series.roofline), presets) +
         doubt_text(series);
}

std::string rows_text(model::SeriesFit const& series) {
  std::string text = fmt::format("{:<18} {:<17} {:>12} {:>10} {:>8} {:>9} {:>9}  {}\n", "model", "phase",
                                 "published ms", "fitted ms", "error %", "products%", "launches%", "use");
  for (auto const& row : series.rows) {
    auto const& of = row.published.of;
    fmt::format_to(Out(text), "{:<18} {:<17} {:>12.2f} {:>10.2f} {:>+8.1f} {:>9.1f} {:>9.1f}  {}\n",
                   of.preset, name_of(of.part), row.published.seconds * milli, row.seconds * milli,
                   100 * row.error(), 100 * row.product_share, 100 * row.launch_share,
                   row.published.fitted ? "fitted" : "compared");
  }
  const ComparedError error = compared_error(series);
  if (error.rows > 0)
    fmt::format_to(Out(text), "error of the compared rows: mean {:.1f} %, largest {:.1f} % ({})\n",
                   100 * error.mean, 100 * error.largest, error.worst);
  return text;
}

std::string shares_text(PublishedComparison const& comparison) {
  if (comparison.shares.empty()) return "";
  std::string text = fmt::format(
      "\nshare of each kind of kernel in the time of its phase, launches included:\n{:<18} {:<17} {:<18} "
      "{:<10} {:>11} "
      "{:>8}\n",
      "model", "series", "phase", "kernels", "published %", "fitted %");
  for (auto const& share : comparison.shares) {
    auto const& of = share.published.of;
    fmt::format_to(Out(text), "{:<18} {:<17} {:<18} {:<10} {:>11.1f} {:>8.1f}\n", of.preset, of.series,
                   name_of(of.part), name_of(share.published.kind), 100 * share.published.share,
                   100 * share.fitted);
  }
  return text;
}

Json case_json(model::PublishedCase const& of) {
  return {{"preset", of.preset},
          {"batch", of.tokens.batch},
          {"context", of.tokens.sequence},
          {"phase", std::string(name_of(of.part))}};
}

Json row_json(model::FittedTime const& row) {
  Json json = case_json(row.published.of);
  json["use"] = row.published.fitted ? "fit" : "compare";
  json["published_s"] = row.published.seconds;
  json["fitted_s"] = row.seconds;
  json["error"] = row.error();
  json["product_share"] = row.product_share;
  json["launch_share"] = row.launch_share;
  return json;
}

Json series_json(model::SeriesFit const& series) {
  auto const& first = series.rows.front().published;
  auto const& rates = series.roofline;
  Json json{{"series", series.name}, {"precision", first.mixed ? "mixed" : "fp32"}, {"warm", first.warm}};
  json["fit"] = {
      {"peak_flops", rates.peak_flops},
      {"bandwidth_bytes_per_s", std::isfinite(rates.bandwidth) ? Json(rates.bandwidth) : Json(nullptr)},
      {"launch_s", rates.launch},
      {"startup_s", series.startup},
      {"memory_share", series.memory_share},
      {"base", series.base.empty() ? Json(nullptr) : Json(series.base)}};
  json["rows"] = Json::array();
  for (auto const& row : series.rows) json["rows"].push_back(row_json(row));
  const ComparedError error = compared_error(series);
  const bool any = error.rows > 0;
  json["compared"] = {{"rows", error.rows},
                      {"mean_error", any ? Json(error.mean) : Json(nullptr)},
                      {"max_error", any ? Json(error.largest) : Json(nullptr)},
                      {"worst", error.worst}};
  return json;
}

}  // namespace

std::string describe(PublishedComparison const& comparison) {
  std::string text = fmt::format("published step times against a fitted roofline: {}\n",
                                 model::printable(comparison.file.string()));
  if (!comparison.source.empty()) text += fmt::format("source: {}\n", comparison.source);
  text +=
      "products%: share of the matrix products in the fitted time, their launches included. launches%: share "
      "of the launches of all kernels\n";
  for (auto const& series : comparison.series) text += '\n' + fit_text(series) + rows_text(series);
  return text + shares_text(comparison);
}

std::string to_json(PublishedComparison const& comparison) {
  Json json{{"file", model::printable(comparison.file.string())}, {"source", comparison.source}};
  json["series"] = Json::array();
  for (auto const& series : comparison.series) json["series"].push_back(series_json(series));
  json["shares"] = Json::array();
  for (auto const& share : comparison.shares) {
    Json row;
    row["series"] = share.published.of.series;
    row.update(case_json(share.published.of));
    row["kind"] = std::string(name_of(share.published.kind));
    row["published"] = share.published.share;
    row["fitted"] = share.fitted;
    json["shares"].push_back(row);
  }
  return json.dump(1) + "\n";
}

}  // namespace ddproxy
