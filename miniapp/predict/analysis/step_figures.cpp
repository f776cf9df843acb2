// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/step_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/cost/step_work.hpp"
#include "model/statistics/deviation.hpp"
#include "model/statistics/mean.hpp"
#include "model/statistics/median_interval.hpp"

namespace ddproxy {
namespace {

using model::PhaseSeconds;

struct Part {
  char const* name;
  double PhaseSeconds::*seconds;  // nullptr: E
};
// The parts before `step` add up to it.
constexpr Part parts[] = {{"forward", &PhaseSeconds::forward},
                          {"recompute", &PhaseSeconds::recompute},
                          {"backward", &PhaseSeconds::backward},
                          {"clip", &PhaseSeconds::clip},
                          {"update", &PhaseSeconds::update},
                          {"copies", &PhaseSeconds::copies},
                          {"waiting", &PhaseSeconds::waiting},
                          {"step", &PhaseSeconds::step},
                          {"exposed", nullptr}};

template <class Times>
double value_of(Part const& part, Times const& times) {
  return part.seconds ? times.phases.*part.seconds : times.exposed();
}

void add_statistics(StepRow& row) {
  row.mean = model::mean(row.samples);
  row.deviation = model::standard_deviation(row.samples);
  row.median = model::median_estimate(row.samples);
}

double peak_of(Config const& config) {
  if (const auto peak = config.peaks.find(config.precision); peak != config.peaks.end()) return peak->second;
  return config.machine.peak_flops > 0 ? config.machine.peak_flops : not_available;
}

// Returns the kind of operator of a task. Returns an empty text if the task neither computes nor copies.
std::string kind_of(model::Task const& task, model::BackwardPass const& pass) {
  if (std::holds_alternative<model::Copy>(task.work)) return "copies";
  auto const* compute = std::get_if<model::Compute>(&task.work);
  if (compute == nullptr) return "";
  switch (compute->phase) {
    case model::Phase::norm:
    case model::Phase::clip:
      return "clip";
    case model::Phase::update:
      return "update";
    default:
      return std::string(word_of(pass.operations[model::index(compute->op)].kind, operation_kind_words));
  }
}

void add_task(KindSeconds& kind, model::Task const& task, double seconds) {
  kind.step += seconds;
  auto const* compute = std::get_if<model::Compute>(&task.work);
  if (compute == nullptr) return;
  if (compute->phase == model::Phase::forward) kind.forward += seconds;
  if (compute->phase == model::Phase::backward || compute->phase == model::Phase::recompute)
    kind.backward += seconds;
}

KindSeconds sum_of(std::vector<KindSeconds> const& kinds) {
  KindSeconds sum{"matrix products"};
  for (auto const& kind : kinds) {
    if (kind.kind != "linear" && kind.kind != "head") continue;
    sum.forward += kind.forward;
    sum.backward += kind.backward;
    sum.step += kind.step;
  }
  return sum;
}

}  // namespace

double StepRow::error() const {
  return median.value > 0 ? predicted / median.value - 1 : not_available;
}

StepRow const& StepFigures::row(std::string const& name) const {
  const auto found = std::ranges::find(rows, name, &StepRow::name);
  if (found == rows.end()) throw std::logic_error("the step has no row " + name);
  return *found;
}

std::vector<std::string> step_part_names() {
  std::vector<std::string> names;
  for (Part const& part : parts) names.emplace_back(part.name);
  return names;
}

std::vector<double> step_part_seconds(StepSample const& sample) {
  std::vector<double> seconds;
  for (Part const& part : parts) seconds.push_back(value_of(part, sample));
  return seconds;
}

StepSample to_step_sample(std::vector<double> const& seconds, double alone, double host_waits) {
  StepSample sample{{.host_waits = host_waits}, alone};
  for (std::size_t k = 0; k < std::size(parts); ++k)
    if (parts[k].seconds) sample.phases.*parts[k].seconds = seconds.at(k);
  return sample;
}

std::vector<StepRow> step_rows(StepSample const& first, std::vector<StepSample> const& samples,
                               StepPredictions const& predictions) {
  std::vector<StepRow> rows;
  for (Part const& part : parts) {
    StepRow row;
    row.name = part.name;
    for (auto const& sample : samples) row.samples.push_back(value_of(part, sample));
    add_statistics(row);
    row.predicted = value_of(part, predictions.contended);
    row.uncontended = value_of(part, predictions.uncontended);
    if (part.seconds) row.first = value_of(part, first);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string negative_exposed(std::vector<StepSample> const& samples) {
  constexpr double tolerance = 0.005;  // share of the step; the report uses the same share
  const auto is_negative = [](auto const& s) { return s.exposed() < -tolerance * s.phases.step; };
  const auto count = std::ranges::count_if(samples, is_negative);
  if (count == 0) return "";
  const auto smallest = std::ranges::min_element(samples, {}, &StepSample::exposed);
  return fmt::format(
      "the exposed communication E is below 0 in {} of {} samples, which is impossible; the smallest is "
      "{:.3f} ms. In these samples compute without communication took longer than the whole step. Probably "
      "other programs used the cores. E of this run is not reliable; end other programs and repeat the run",
      count, samples.size(), smallest->exposed() * 1e3);
}

double host_waits_of(std::vector<StepSample> const& samples) {
  std::vector<double> seconds;
  for (auto const& sample : samples) seconds.push_back(sample.phases.host_waits);
  return model::median_estimate(seconds).value;
}

std::vector<KindSeconds> kind_seconds(model::StepGraph const& graph, model::BackwardPass const& pass,
                                      std::vector<double> const& task_seconds) {
  std::vector<KindSeconds> kinds;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const std::string name = kind_of(graph.tasks[t], pass);
    if (name.empty()) continue;
    auto found = std::ranges::find(kinds, name, &KindSeconds::kind);
    if (found == kinds.end()) found = kinds.insert(kinds.end(), KindSeconds{name});
    add_task(*found, graph.tasks[t], task_seconds[t]);
  }
  kinds.push_back(sum_of(kinds));
  return kinds;
}

void add_throughput(StepFigures& figures, Config const& config) {
  const int micro_batches = config.step.accumulation;
  const double seconds = figures.row("step").median.value;
  figures.global_batch = config.tokens.batch * micro_batches * figures.ranks;
  figures.tokens_per_s = static_cast<double>(config.tokens.count()) * micro_batches * figures.ranks / seconds;
  figures.model_flops_per_s =
      model::model_flops(config.shape, config.tokens).total() * micro_batches / seconds;
  figures.peak_flops = peak_of(config);
}

std::vector<std::pair<char const*, double>> numbers_of(StepFigures const& f) {
  const auto median = [&](char const* name) { return f.row(name).median.value; };
  return {{"step_tokens_per_s", f.tokens_per_s},
          {"step_s", median("step")},
          {"forward_s", median("forward")},
          {"backward_s", median("backward")},
          {"exposed_s", median("exposed")},
          {"update_s", median("update")},
          {"model_error", std::abs(f.row("step").error())}};
}

std::string to_line(StepFigures const& f) {
  std::string line = "DDPROXY_STEP_FOM";
  for (auto const& [name, value] : numbers_of(f)) line += fmt::format(" {}={:.5g}", name, value);
  return line + fmt::format(" verified={} valid={}", f.verified, word_of(f.valid));
}

}  // namespace ddproxy
