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

std::vector<Contradiction> one(CaseReport const& report, double by, std::string what) {
  if (!(std::abs(by) > resolution)) return {};
  return {{what + ". " + cure, std::abs(by), report.measured->samples}};
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
      {terms.ideal, "this part of its all-reduces does not fit beside compute (ideal E)"},
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
  const std::string limit = "20 % (of an overlap: 0.20)";
  if (contradiction.by <= large) return "The difference is below " + limit + ", so `valid` does not change";
  if (!contradiction.is_large())
    return fmt::format(
        "The difference is above {}, but `valid` does not change, because {} samples are too few to prove "
        "it; take {} or more ([sweep] samples)",
        limit, contradiction.samples, model::fewest_for_an_interval);
  if (!reduces)
    return "The difference is above " + limit + ", but `valid` stays replay, because times were replayed";
  return "The difference is above " + limit + ", so the figures of this run are not valid (valid=false)";
}

std::vector<Contradiction> find_contradictions(CaseReport const& report) {
  if (!report.measured || !report.measured->overlap) return {};
  model::Estimate const& overlap = *report.measured->overlap;
  if (!report.item.overlapped())
    return one(report, distance(overlap, 0.0),
               report.item.name() +
                   " does not overlap, but its T differs from T_compute + T_comm as if its overlap were " +
                   overlap_text(report));
  return one(report, std::max(distance(overlap, 1.0), 0.0),
             "the overlap of " + report.item.name() + " is " + overlap_text(report) +
                 ", and more than 1 is impossible");
}

std::vector<Contradiction> find_contradictions(CaseReport const& report, model::Waterfall const& terms) {
  if (!report.measured) return {};
  const double exposed = std::max(report.measured->exposed.high, 0.005 * report.measured->total.value);
  const Term term = largest_term(terms);
  return one(
      report, std::max(term.seconds / exposed - 1.0, 0.0),
      fmt::format(
          "the model predicts {:.3g} ms of E for {}, because {}. This is more than the measured E, {:.3g} ms",
          term.seconds * 1e3, report.item.name(), term.cause, report.measured->exposed.value * 1e3));
}

std::string costs_of_overlapping(CaseReport const& report) {
  if (!report.measured || !report.measured->overlap || !report.item.overlapped()) return "";
  if (!(report.measured->overlap->high < -resolution)) return "";
  return report.item.name() + ": here overlapping costs more time than it hides (overlap " +
         overlap_text(report) + "), because compute and all-reduces slow each other down";
}

}  // namespace ddproxy
