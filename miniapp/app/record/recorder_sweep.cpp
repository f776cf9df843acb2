// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"
#include "miniapp/input/words.hpp"
#include "model/statistics/estimate.hpp"

namespace ddproxy {
namespace {

using Reports = std::vector<CaseReport>;

// Returns a figure of each case; NaN for a case that was not measured.
template <class Get>
Reals measured(Reports const& reports, Get get) {
  return column<Reals>(
      reports, [&](auto& r) { return r.measured ? double(std::invoke(get, *r.measured)) : not_available; });
}

void write_names(results::Writer& writer, Config const& config, Reports const& reports) {
  const auto first = first_bucket_of(config);
  writer.write("/sweep/name", column<Texts>(reports, [](auto& r) { return r.item.name(); }));
  writer.write("/sweep/strategy",
               column<Texts>(reports, [](auto& r) { return std::string(r.item.strategy.name); }));
  writer.write("/sweep/source", Texts(reports.size(), "ddproxy"));
  writer.write("/sweep/compute_source", Texts(reports.size(), config.shared_compute ? "round" : "own"));
  writer.write("/sweep/bucket_bytes",
               column<Integers>(reports, [](auto& r) { return r.item.has_cap() ? r.item.cap_bytes() : -1; }));
  writer.write("/sweep/first_bucket_bytes", column<Integers>(reports, [&](auto& r) {
                 return r.item.has_cap() ? first.value_or(r.item.cap_bytes()) : -1;
               }));
  writer.write("/sweep/buckets", column<Integers>(reports, [](auto& r) {
                 return static_cast<std::int64_t>(r.item.plan.size());
               }));
}

void write_predictions(results::Writer& writer, Reports const& reports) {
  writer.write("/sweep/predicted", column<Reals>(reports, [](auto& r) { return r.predicted.total; }));
  writer.write("/sweep/predicted_exposed", column<Reals>(reports, &CaseReport::predicted_exposed));
  writer.write("/sweep/predicted_tail", column<Reals>(reports, [](auto& r) { return r.predicted.tail(); }));
  writer.write("/sweep/predicted_slowdown",
               column<Reals>(reports, [](auto& r) { return r.predicted.slowdown(r.predicted_compute); }));
  writer.write("/sweep/uncontended", column<Reals>(reports, &CaseReport::uncontended));
}

void write_ratios(results::Writer& writer, Reports const& reports) {
  CaseReport const* best = best_bucketed(reports);
  const auto ratio = [&](double model::Estimate::*part) {
    return column<Reals>(reports, [=](auto& r) {
      return best && r.measured ? ratio_by_round(r, *best).*part : not_available;
    });
  };
  writer.write("/sweep/over_best", ratio(&model::Estimate::value));
  writer.write("/sweep/over_best_low", ratio(&model::Estimate::low));
  writer.write("/sweep/over_best_high", ratio(&model::Estimate::high));
}

void write_overlap(results::Writer& writer, Reports const& reports) {
  const auto overlap = [&](double model::Estimate::*part) {
    return measured(reports,
                    [=](CaseResult const& m) { return m.overlap ? *m.overlap.*part : not_available; });
  };
  writer.write("/sweep/overlap", overlap(&model::Estimate::value));
  writer.write("/sweep/overlap_low", overlap(&model::Estimate::low));
  writer.write("/sweep/overlap_high", overlap(&model::Estimate::high));
}

}  // namespace

void Recorder::plan(RankContext const& context, Reports const& reports, bool predicted, double floor) {
  auto const& config = context.config;
  writer_.attribute("/sweep", "ranks", std::int64_t{context.ranks()});
  writer_.attribute("/sweep", "compute_mode", std::string(word_of(config.compute, compute_mode_words)));
  writer_.attribute("/sweep", "backend", std::string(word_of(config.backend, backend_words)));
  writer_.attribute("/sweep", "progress", std::string(word_of(config.progress, progress_words)));
  writer_.attribute("/sweep", "copies", std::string(word_of(config.copies, copy_words)));
  writer_.attribute("/sweep", "wire", std::string(word_of(config.wire, wire_words)));
  writer_.attribute("/sweep", "warmup", std::int64_t{config.warmup});
  if (config.backend == Backend::mpi) {
    writer_.attribute("/sweep", "piece_mib", config.piece_mib);
    writer_.attribute("/sweep", "call_setting", std::string(word_of(config.mpi_call, call_kind_words)));
  }
  if (config.backend == Backend::nccl)
    writer_.attribute("/sweep", "priority", std::string(word_of(config.priority, priority_words)));
  call("/sweep", context);
  write_names(writer_, config, reports);
  plans(column<std::vector<model::Plan>>(reports, [](auto& r) { return r.item.plan; }));
  if (predicted) write_predictions(writer_, reports);
  writer_.write("/sweep/floor", Reals{floor});
  reserve_samples(context, reports.size());
}

void Recorder::call(std::string_view group, RankContext const& context) {
  if (!context.choice.reason.empty())
    writer_.attribute(group, "call", context.choice.mpi_calls.description());
}

void Recorder::predictions(Reports const& reports, double floor) {
  write_predictions(writer_, reports);
  writer_.write("/sweep/floor", Reals{floor});
}

void Recorder::verified(Integers const& right) {
  writer_.write("/sweep/verified", right);
}

void Recorder::gate(TurnOptions const& turns, Texts const& parts, std::size_t samples) {
  if (turns.round) {
    writer_.attribute("/gate", "session", turns.session);
    writer_.attribute("/gate", "round", std::int64_t{*turns.round});
  }
  if (parts.empty()) return;
  writer_.write("/gate/name", parts);
  writer_.reserve("/gate/seconds", {parts.size(), samples});
}

void Recorder::part(std::size_t part, std::size_t index, double seconds) {
  writer_.write_part("/gate/seconds", {part, index}, {1, 1}, std::array{seconds});
}

void Recorder::wire_errors(WireErrors const& errors, WireFormat wire) {
  writer_.attribute("/wire", "element_bytes", std::int64_t{wire_element_bytes(wire)});
  writer_.attribute("/wire", "error_bound", errors.bound);
  writer_.attribute("/wire", "total_rms_error", errors.total_rms);
  writer_.write("/wire/rms_error", errors.rms);
  writer_.write("/wire/max_error", errors.max);
}

void Recorder::precision_errors(PrecisionErrors const& errors) {
  writer_.attribute("/precision", "total_rms_error", errors.total_rms);
  writer_.write("/precision/rms_error", errors.rms);
}

void Recorder::stops(std::vector<Stop> const& stops, Config const& config) {
  Texts words;
  for (Stop stop : stops) words.emplace_back(word_of(stop, stop_words));
  writer_.write("/sweep/stopped_by", words);
  writer_.attribute("/sweep", "target", config.target);
  if (config.max_seconds > 0) writer_.attribute("/sweep", "max_seconds", config.max_seconds);
}

void Recorder::contradictions(Texts const& sentences) {
  if (!sentences.empty()) writer_.write("/sweep/contradictions", sentences);
}

void Recorder::results(Reports const& reports) {
  writer_.write("/sweep/measured_median", measured(reports, [](auto& m) { return m.total.value; }));
  writer_.write("/sweep/ci_low", measured(reports, [](auto& m) { return m.total.low; }));
  writer_.write("/sweep/ci_high", measured(reports, [](auto& m) { return m.total.high; }));
  writer_.write("/sweep/exposed", measured(reports, [](auto& m) { return m.exposed.value; }));
  writer_.write("/sweep/exposed_low", measured(reports, [](auto& m) { return m.exposed.low; }));
  writer_.write("/sweep/exposed_high", measured(reports, [](auto& m) { return m.exposed.high; }));
  writer_.write("/sweep/slowdown", measured(reports, &CaseResult::slowdown));
  writer_.write("/sweep/tail", measured(reports, &CaseResult::tail));
  writer_.write("/sweep/skew", measured(reports, &CaseResult::skew));
  writer_.write("/sweep/comm", measured(reports, &CaseResult::communication));
  writer_.write("/sweep/same_round", column<Reals>(reports, [](auto& r) { return r.same_round.total; }));
  writer_.write("/sweep/same_round_exposed",
                column<Reals>(reports, [](auto& r) { return r.same_round.exposed; }));
  writer_.write("/sweep/slowest_rank", column<Integers>(reports, [](auto& r) {
                  return std::int64_t{r.measured ? r.measured->slowest_rank : -1};
                }));
  write_ratios(writer_, reports);
  write_overlap(writer_, reports);
}

void Recorder::figures(FigureOfMerit const& f) {
  for (auto const& [name, value] : numbers_of(f)) writer_.attribute("/fom", name, value);
  writer_.attribute("/fom", "why_no_model_error", f.why_no_error);
  writer_.attribute("/fom", "why_no_regret", f.why_no_regret);
  writer_.attribute("/fom", "valid", std::string(word_of(f.valid)));
}

}  // namespace ddproxy
