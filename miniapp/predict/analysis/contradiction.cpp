// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/contradiction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "model/statistics/median_interval.hpp"
#include "model/text/first_three.hpp"

namespace ddproxy {
namespace {

using Kind = Contradiction::Kind;

constexpr double resolution = 0.05, large = 0.20;
constexpr char const* cure =
    "Either the machine changed between two measurements of this run, or communication and compute share a "
    "core. Leave one core free for the communication of each rank, and repeat the run on a quieter machine";
constexpr char const* same_cure = "The possible reasons and the advice are the same as in the warning above";

// Returns how far an interval lies above (positive) or below (negative) a value; 0 if it contains the value.
double distance(model::Estimate const& interval, double value) {
  if (interval.low > value) return interval.low - value;
  return interval.high < value ? interval.high - value : 0.0;
}

// Returns for example "naive (0.10, 95 % interval of 15 samples: 0.08 to 0.12)".
std::string overlap_text(CaseReport const& report) {
  model::Estimate const& overlap = *report.measured->overlap;
  return fmt::format("{} ({:.2f}, 95 % interval of {} samples: {:.2f} to {:.2f})", report.item.name(),
                     overlap.value, report.measured->samples, overlap.low, overlap.high);
}

std::vector<Contradiction> impossible_overlap(CaseReport const& report, Kind kind, double possible,
                                              double by) {
  if (!(std::abs(by) > resolution)) return {};
  return {{kind, overlap_text(report), std::abs(by), report.measured->samples,
           fmt::format("The distance between the interval of {} and {:g} is {:.3g}", report.item.name(),
                       possible, std::abs(by)),
           ""}};
}

// A cause of E (docs/glossary.md) as predicted, in seconds and without its sign.
struct Cause {
  double seconds;
  char const *name, *meaning;
};

Cause largest_cause(model::Waterfall const& terms) {
  // clang 14 (scripts/fuzz) cannot compile std::ranges::max of a list.
  const Cause all[] = {
      {terms.ideal, "ideal", "Ideal means that all-reduces end after compute even without the other causes"},
      {std::abs(terms.contention - terms.ideal), "contention",
       "Contention means that compute and all-reduces slow each other, and that buckets are handed over"},
      {std::abs(terms.copies - terms.contention), "copies",
       "Copies means that gradients are copied into and out of buckets"},
      {std::abs(terms.jitter - terms.copies), "jitter",
       "Jitter means that buckets wait for the latest rank"}};
  return *std::ranges::max_element(all, {}, &Cause::seconds);
}

char const* what_happened(Kind kind) {
  switch (kind) {
    case Kind::overlap_of_nothing:
      return "an overlap other than 0 was measured, which is impossible in a case that starts no all-reduce "
             "before compute has ended";
    case Kind::overlap_above_one:
      return "an overlap above 1 was measured, which is impossible";
    case Kind::cause_above_exposed:
      break;
  }
  return "in the prediction, one cause of E alone is larger than the whole measured E";
}

// Says what the contradiction does to `valid`, and why.
std::string consequence(Contradiction const& contradiction, bool reduces) {
  auto const& excess = contradiction.excess;
  const auto* const limit = contradiction.kind == Kind::cause_above_exposed ? "20 %" : "0.20";
  if (contradiction.by <= large)
    return fmt::format("{}. This is below the limit of {}, so it does not change `valid`", excess, limit);
  if (!reduces)
    return fmt::format(
        "{}. This is above the limit of {}, but `valid` stays replay, because times were replayed", excess,
        limit);
  if (!contradiction.is_large())
    return fmt::format(
        "{}. This is above the limit of {}. A case with {} samples or more would make the run invalid "
        "(valid=false). This case has only {}, so it does not change `valid`. To find out whether the "
        "figures are valid, measure again with [sweep] samples = {}",
        excess, limit, model::fewest_for_an_interval, contradiction.samples, model::fewest_for_an_interval);
  return fmt::format(
      "{}. This is above the limit of {}, so the figures of this run are not valid (valid=false)", excess,
      limit);
}

std::string meanings_of(std::span<const Contradiction> cases) {
  std::set<std::string> meanings;
  for (auto const& one : cases)
    if (!one.meaning.empty()) meanings.insert(one.meaning);
  std::string text;
  for (auto const& meaning : meanings) text += ". " + meaning;
  return text;
}

// Returns the warning about one kind, without the advice. `cases`: all contradictions of this kind, the worst
// one first.
std::string warning_of(std::vector<Contradiction> const& cases, bool reduces) {
  std::vector<std::string> results;
  for (auto const& one : cases) results.push_back(one.result);
  const auto named = std::span(cases).first(std::min(cases.size(), model::most_named));
  return fmt::format("{}: {}{}. {}", what_happened(cases.front().kind), model::first_three(results),
                     meanings_of(named), consequence(cases.front(), reduces));
}

bool costs_time(CaseReport const& report) {
  return report.measured && report.measured->overlap && report.item.overlapped() &&
         report.measured->overlap->high < -resolution;
}

}  // namespace

bool Contradiction::is_large() const {
  return by > large && samples >= model::fewest_for_an_interval;
}

std::vector<Contradiction> find_contradictions(CaseReport const& report) {
  if (!report.measured || !report.measured->overlap) return {};
  model::Estimate const& overlap = *report.measured->overlap;
  if (!report.item.overlapped())
    return impossible_overlap(report, Kind::overlap_of_nothing, 0.0, distance(overlap, 0.0));
  return impossible_overlap(report, Kind::overlap_above_one, 1.0, std::max(distance(overlap, 1.0), 0.0));
}

std::vector<Contradiction> find_contradictions(CaseReport const& report, model::Waterfall const& terms) {
  if (!report.measured) return {};
  auto const& exposed = report.measured->exposed;
  const double least = 0.005 * report.measured->total.value, most = std::max(exposed.high, least);
  const Cause cause = largest_cause(terms);
  const double by = cause.seconds / most - 1.0;
  if (!(by > resolution)) return {};
  const auto name = report.item.name();
  return {{Kind::cause_above_exposed,
           fmt::format("{} ({}: {:.3g} ms, measured E: {:.3g} ms)", name, cause.name, cause.seconds * 1e3,
                       exposed.value * 1e3),
           by, report.measured->samples,
           fmt::format(
               "The {:.3g} ms of {} are {:.3g} % above {}, {:.3g} ms", cause.seconds * 1e3, name, 100 * by,
               most > least ? "the upper end of the 95 % interval of its E" : "0.5 % of its T", most * 1e3),
           cause.meaning}};
}

std::vector<std::string> contradiction_warnings(std::vector<Contradiction> const& found, bool reduces) {
  std::vector<std::string> warnings;
  for (const auto kind : {Kind::overlap_of_nothing, Kind::overlap_above_one, Kind::cause_above_exposed}) {
    std::vector<Contradiction> cases;
    std::ranges::copy_if(found, std::back_inserter(cases), [&](auto const& one) { return one.kind == kind; });
    if (cases.empty()) continue;
    std::ranges::stable_sort(cases, std::ranges::greater{},
                             [](auto const& one) { return std::pair(one.is_large(), one.by); });
    warnings.push_back(warning_of(cases, reduces) + ". " + (warnings.empty() ? cure : same_cure));
  }
  return warnings;
}

std::string costs_of_overlapping(std::vector<CaseReport> const& reports) {
  std::vector<CaseReport> costly;
  std::ranges::copy_if(reports, std::back_inserter(costly), costs_time);
  if (costly.empty()) return "";
  std::ranges::stable_sort(costly, {}, [](auto const& report) { return report.measured->overlap->high; });
  std::vector<std::string> named;
  std::ranges::transform(costly, std::back_inserter(named), overlap_text);
  return fmt::format(
      "the overlap is negative: {}. So overlapping costs more time than it hides: compute and all-reduces "
      "at the same time take longer than one after the other. Probably they slow each other down, or the "
      "machine was slower during the sweep. Leave one core free for the communication of each rank "
      "([machine] threads), or try larger buckets ([sweep] caps_mib), because handing a bucket over takes "
      "time. Repeat the run on a quieter machine",
      model::first_three(named));
}

}  // namespace ddproxy
