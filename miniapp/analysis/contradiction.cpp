// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/analysis/contradiction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/statistics/median_interval.hpp"

namespace ddproxy {
namespace {

constexpr double resolution = 0.05, large = 0.20;
constexpr char const* cure =
    "Either the machine changed between two measurements of this run, or communication and compute share a "
    "core. Leave one core free for the communication of each rank, and repeat the run on a quieter machine";

// Returns how far an interval lies above (positive) or below (negative) a value; 0 if it contains the value.
double distance(model::Estimate const& interval, double value) {
  if (interval.low > value) return interval.low - value;
  return interval.high < value ? interval.high - value : 0.0;
}

std::vector<Contradiction> impossible_overlap(CaseReport const& report, double possible, double by,
                                              std::string const& what) {
  if (!(std::abs(by) > resolution)) return {};
  return {{what + ". " + cure, std::abs(by), report.measured->samples,
           fmt::format("The distance between the interval and {:g} is {:.3g}", possible, std::abs(by)),
           "0.20"}};
}

// Returns for example "0.10 (95 % interval of 15 samples: 0.08 to 0.12)".
std::string overlap_text(CaseReport const& report) {
  model::Estimate const& overlap = *report.measured->overlap;
  return fmt::format("{:.2f} (95 % interval of {} samples: {:.2f} to {:.2f})", overlap.value,
                     report.measured->samples, overlap.low, overlap.high);
}

// A part of E according to the model, in seconds and without its sign.
struct Term {
  double seconds;
  char const* cause;
};

Term largest_term(model::Waterfall const& terms) {
  // clang 14 (scripts/fuzz) cannot compile std::ranges::max of a list.
  const Term all[] = {
      {terms.ideal, "all-reduces that compute cannot hide (ideal E)"},
      {std::abs(terms.contention - terms.ideal), "compute and all-reduces slow each other (contention)"},
      {std::abs(terms.copies - terms.contention), "gradients are copied into and out of buckets"},
      {std::abs(terms.jitter - terms.copies), "a bucket waits for the latest rank (jitter)"}};
  return *std::ranges::max_element(all, {}, &Term::seconds);
}

}  // namespace

bool Contradiction::is_large() const {
  return by > large && samples >= model::fewest_for_an_interval;
}

std::string consequence(Contradiction const& contradiction, bool reduces) {
  auto const& [sentence, by, samples, excess, limit] = contradiction;
  if (by <= large)
    return fmt::format("{}. This is below the limit of {}, so `valid` does not change", excess, limit);
  if (!reduces)
    return fmt::format(
        "{}. This is above the limit of {}, but `valid` stays replay, because times were replayed", excess,
        limit);
  if (!contradiction.is_large())
    return fmt::format(
        "{}. This is above the limit of {}. A run with {} samples or more would get valid=false. This run "
        "has only {}, so `valid` does not change. To find out whether the figures are valid, measure again "
        "with [sweep] samples = {}",
        excess, limit, model::fewest_for_an_interval, samples, model::fewest_for_an_interval);
  return fmt::format(
      "{}. This is above the limit of {}, so the figures of this run are not valid (valid=false)", excess,
      limit);
}

std::vector<Contradiction> find_contradictions(CaseReport const& report) {
  if (!report.measured || !report.measured->overlap) return {};
  model::Estimate const& overlap = *report.measured->overlap;
  if (!report.item.overlapped())
    return impossible_overlap(
        report, 0.0, distance(overlap, 0.0),
        "the overlap of " + report.item.name() + " is " + overlap_text(report) +
            ", but it should be 0, because this case starts no all-reduce before compute has ended");
  return impossible_overlap(report, 1.0, std::max(distance(overlap, 1.0), 0.0),
                            "the overlap of " + report.item.name() + " is " + overlap_text(report) +
                                ", and more than 1 is impossible");
}

std::vector<Contradiction> find_contradictions(CaseReport const& report, model::Waterfall const& terms) {
  if (!report.measured) return {};
  auto const& exposed = report.measured->exposed;
  const double least = 0.005 * report.measured->total.value, most = std::max(exposed.high, least);
  const Term term = largest_term(terms);
  const double by = term.seconds / most - 1.0;
  if (!(by > resolution)) return {};
  return {{fmt::format(
               "one cause alone gives {:.3g} ms of the E that the model predicts for {}: {}. This is more "
               "than the whole measured E, {:.3g} ms. {}",
               term.seconds * 1e3, report.item.name(), term.cause, exposed.value * 1e3, cure),
           by, report.measured->samples,
           fmt::format("The {:.3g} ms are {:.3g} % above {}, {:.3g} ms", term.seconds * 1e3, 100 * by,
                       most > least ? "the upper end of the 95 % interval of E" : "0.5 % of T", most * 1e3),
           "20 %"}};
}

std::string costs_of_overlapping(CaseReport const& report) {
  if (!report.measured || !report.measured->overlap || !report.item.overlapped()) return "";
  if (!(report.measured->overlap->high < -resolution)) return "";
  return report.item.name() + ": here overlapping costs more time than it hides (overlap " +
         overlap_text(report) +
         "). Probably compute and all-reduces slow each other down, or the machine was slower during the "
         "sweep";
}

}  // namespace ddproxy
