// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/tables.hpp"
#include "miniapp/input/model_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "miniapp/predict/prediction.hpp"
#include "model/cost/topology.hpp"
#include "model/statistics/estimate.hpp"
#include "model/statistics/median_interval.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

using Out = std::back_insert_iterator<std::string>;

double mib(std::int64_t bytes) {
  return static_cast<double>(bytes) / model::bytes_per_mib;
}

std::string optional_ms(std::optional<double> seconds) {
  return seconds && !std::isnan(*seconds) ? fmt::format("{:.2f}", *seconds * milli) : "-";
}

// Returns milliseconds, rounded to three digits or, from 999.5 ms on, to whole milliseconds. Less than a
// nanosecond counts as 0, because it may be the rounding error of a sum.
std::string brief_ms(double seconds) {
  const double ms = std::abs(seconds) < 1e-9 ? 0 : seconds * milli;
  return std::abs(ms) >= 999.5 ? fmt::format("{:.0f}", ms) : fmt::format("{:.3g}", ms);
}

std::string change_ms(double seconds) {
  const std::string text = brief_ms(seconds);
  return text.starts_with('-') ? text : "+" + text;
}

// Returns a remark if `other` may be as fast as `best`, or if the uncertainty is not known. Cases with the
// same buckets differ by noise only. So the remark is also returned if a case with the same buckets as
// `other` may be as fast as `best`.
char const* doubt(std::vector<CaseReport> const& reports, CaseReport const& best, CaseReport const& other) {
  if (std::isnan(ratio_by_round(other, best).low)) return ", noise not known because a case has one sample";
  const auto is_equal = [&](CaseReport const& report) {
    if (!report.item.is_bucketed() || !report.measured) return false;
    return &report == &other || (!other.item.plan.empty() && report.item.plan == other.item.plan);
  };
  const auto is_as_fast = [&](CaseReport const& report) {
    return is_equal(report) && (&report == &best || ratio_by_round(report, best).low <= 1);
  };
  return std::ranges::any_of(reports, is_as_fast) ? ", within the noise" : "";
}

// Returns words that say how much longer `other` takes than `best`. results/reporting/lead.py reports the
// same difference.
std::string loss_text(std::vector<CaseReport> const& reports, CaseReport const& best, CaseReport const& other,
                      std::string const& name) {
  const double least = best.measured->total.value, loss = other.measured->total.value - least;
  return fmt::format("{} takes {} ms ({:.1f} %{}) longer", name, brief_ms(loss), 100 * loss / least,
                     doubt(reports, best, other));
}

bool has_same_round(std::vector<CaseReport> const& reports) {
  return std::ranges::any_of(reports, [](auto& r) { return !std::isnan(r.same_round.exposed); });
}

// Rounds to the digits that are printed, so that a small negative number is "0.00" and not "-0.00".
double hundredths(double value) {
  return std::round(value * 100.0) / 100.0 + 0.0;
}

std::string sweep_row(CaseReport const& report, bool predicted, bool same_round) {
  auto const& m = *report.measured;
  const auto known = [&](double seconds) {
    return optional_ms(predicted ? std::optional(seconds) : std::nullopt);
  };
  const std::string round = same_round ? fmt::format(" {:>14}", optional_ms(report.same_round.exposed)) : "";
  return fmt::format("{:<16} {:>7} {:>10.2f} {:>9} {:>9} {:>12} {:>9.2f} {:>12}{} {:>9.2f} {:>8}\n",
                     report.item.name(), report.item.plan.size(), m.total.value * milli,
                     optional_ms(m.total.low), optional_ms(m.total.high), known(report.predicted.total),
                     hundredths(m.exposed.value * milli), known(report.predicted_exposed()), round,
                     hundredths(m.tail * milli),
                     m.overlap ? fmt::format("{:.2f}", hundredths(m.overlap->value)) : "-");
}

// Returns the largest absolute value of the parts into which waterfall_line() splits the measured E.
double largest_cause(model::Waterfall const& terms, double measured) {
  return std::max({std::abs(terms.ideal), std::abs(terms.contention - terms.ideal),
                   std::abs(terms.copies - terms.contention), std::abs(terms.jitter - terms.copies),
                   std::abs(measured - terms.jitter)});
}

// Returns a line that says why sampling ended. If the reason was the time limit, the line names the cases
// whose E is not known as precisely as Config::target asks. Returns an empty text if the number of samples
// was fixed.
std::string stop_line(Config const& config, std::vector<CaseReport> const& reports,
                      std::vector<Stop> const& stops) {
  if (config.max_seconds <= 0) return "";
  std::vector<std::string> open;
  for (std::size_t i = 0; i < reports.size(); ++i)
    if (stops[i] == Stop::budget) open.push_back(reports[i].item.name());
  const std::string goal = fmt::format("within {:g} % of max(E, 0.5 % of T)", 100 * config.target);
  if (open.empty()) return fmt::format("sampling ended because E of every case is known {}\n", goal);
  return fmt::format("sampling ended at its limit of {:g} s, before E was known {} for {}\n",
                     config.max_seconds, goal, fmt::join(open, ", "));
}

}  // namespace

std::string allreduce_table(std::vector<SizeTimes> const& times, int ranks, bool replayed) {
  std::string text =
      fmt::format("all-reduce, {}{}\n{:>14} {:>12} {:>12} {:>12} {:>12} {:>8} {:>7}\n",
                  model::ranks_text(ranks), replayed ? ", replay: from a table, not measured" : "", "bytes",
                  "median us", "p99 us", "algbw GB/s", "busbw GB/s", "samples", "wrong");
  for (auto const& size : times)
    fmt::format_to(Out(text), "{:>14} {:>12.1f} {:>12.1f} {:>12.3f} {:>12.3f} {:>8} {:>7}\n", size.bytes,
                   model::median(size.seconds) * 1e6, model::quantile(size.seconds, 0.99) * 1e6,
                   algorithm_bandwidth(size) / 1e9, bus_bandwidth(size, ranks) / 1e9, size.seconds.size(),
                   size.wrong < 0 ? "-" : std::to_string(size.wrong));
  return text;
}

std::string pieces_table(std::vector<SizeTimes> const& times, std::int64_t total) {
  std::string text = fmt::format("{:.1f} MiB reduced in pieces\n{:>12} {:>10} {:>12} {:>12}\n", mib(total),
                                 "piece MiB", "pieces", "median ms", "algbw GB/s");
  for (auto const& size : times) {
    const double seconds = model::median(size.seconds);
    fmt::format_to(Out(text), "{:>12.3f} {:>10} {:>12.3f} {:>12.3f}\n", mib(size.bytes),
                   (total + size.bytes - 1) / size.bytes, seconds * milli,
                   static_cast<double>(total) / seconds / 1e9);
  }
  return text;
}

std::string sweep_table(Config const& config, std::vector<CaseReport> const& reports,
                        std::vector<Stop> const& stops, bool predicted) {
  const bool same_round = has_same_round(reports);
  std::string text =
      fmt::format("{}: compute: {}, all-reduce: {}\n", model_words(config.model),
                  word_of(config.compute, compute_mode_words), word_of(config.backend, backend_words));
  fmt::format_to(Out(text), "{:<16} {:>7} {:>10} {:>19} {:>12} {:>9} {:>12}{} {:>9} {:>8}\n", "case",
                 "buckets", "T ms", "95 % interval", "predicted T", "E ms", "predicted E",
                 same_round ? " re-predicted E" : "", "tail ms", "overlap");
  for (std::size_t i = 0; i < reports.size(); ++i)
    if (reports[i].measured) text += sweep_row(reports[i], predicted, same_round);
  const auto has_few = [](auto const& report) {
    return report.measured && report.measured->samples < model::fewest_for_an_interval;
  };
  if (std::ranges::any_of(reports, has_few))
    text += "95 % interval: with fewer than six samples it is Student's interval of the mean\n";
  if (same_round)
    text +=
        "re-predicted E: the model predicts E again for each sample, from T_compute and all-reduces that "
        "were measured in the same round; the column has the median over the samples. A round measures each "
        "case once\n";
  return text + stop_line(config, reports, stops);
}

std::string memory_line(std::vector<double> const& peaks, double need) {
  const double peak = std::ranges::max(peaks);
  if (std::max(peak, need) < 1024 * model::bytes_per_mib) return "";
  return fmt::format("memory of a rank: predicted {:.1f} MiB, measured peak {:.1f} MiB ({:+.1f} %)\n",
                     need / model::bytes_per_mib, peak / model::bytes_per_mib, 100 * (peak / need - 1));
}

std::string tuning_line(std::vector<CaseReport> const& reports, double floor) {
  CaseReport const* best = best_bucketed(reports);
  if (!best) return "";
  CaseReport const *worst = best, *common = nullptr;
  for (auto const& report : reports) {
    if (!report.item.is_bucketed() || !report.measured) continue;
    if (report.measured->total.value > worst->measured->total.value) worst = &report;
    if (report.item.cap_mib == common_cap_mib) common = &report;
  }
  const std::string bound =
      std::isnan(floor) ? "" : fmt::format("lower bound on E: {} ms\n", brief_ms(floor));
  const std::string name = best->item.name() + (best == common ? " (PyTorch's default)" : "");
  if (best == worst) return fmt::format("{}best cap: {}, the only cap that was measured\n", bound, name);
  return fmt::format(
      "{}best cap: {}; {}{}\n", bound, name,
      common && common != best ? loss_text(reports, *best, *common, "25 MiB (PyTorch's default)") + ", and "
                               : "",
      loss_text(reports, *best, *worst, fmt::format("{} (the worst cap)", worst->item.name())));
}

std::string miss_line(CaseReport const& report) {
  const double round = report.same_round.exposed, before = report.predicted_exposed();
  if (std::isnan(round)) return "";
  const double measured = report.measured->exposed.value, noise = report.measured->exposed.noise();
  if (std::max({std::abs(measured - before), std::abs(round - before), std::abs(measured - round)}) < noise)
    return fmt::format("the error of the predicted E of {} is smaller than the noise of E, {} ms\n",
                       report.item.name(), brief_ms(noise));
  return fmt::format(
      "E of {} is {} ms {} than predicted: {} ms because the machine changed after the tables were measured, "
      "and {} ms because of errors of the model\n",
      report.item.name(), brief_ms(std::abs(measured - before)), measured < before ? "smaller" : "larger",
      change_ms(round - before), change_ms(measured - round));
}

std::string waterfall_line(CaseReport const& report, model::Waterfall const& terms) {
  if (terms.contention == terms.ideal && terms.jitter == terms.ideal) return "";
  const double measured = report.measured->exposed.value, noise = report.measured->exposed.noise();
  if (largest_cause(terms, measured) < noise)
    return fmt::format(
        "E of {} is {} ms, with a noise of {} ms. Its causes are not shown, because each of them is smaller "
        "than the noise; the results file has them\n",
        report.item.name(), brief_ms(measured), brief_ms(noise));
  if (measured < terms.ideal)
    return fmt::format(
        "E of {} is {} ms, below the ideal of {} ms (the predicted E without contention, handovers, copies "
        "and jitter). "
        "So E is not split into causes. Compute or all-reduces were faster in the sweep than when they were "
        "measured alone\n",
        report.item.name(), brief_ms(measured), brief_ms(terms.ideal));
  return fmt::format(
      "E of {} is {} ms. Its causes, in ms: ideal {} (all-reduces that end after compute even without the "
      "other causes); contention {} (compute and all-reduces slow each other); copies {} (into and out of "
      "buckets); jitter {} (buckets wait for the latest rank); not explained {}\n",
      report.item.name(), brief_ms(measured), brief_ms(terms.ideal),
      change_ms(terms.contention - terms.ideal), change_ms(terms.copies - terms.contention),
      change_ms(terms.jitter - terms.copies), change_ms(measured - terms.jitter));
}

}  // namespace ddproxy
