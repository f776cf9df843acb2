// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "miniapp/app/session.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/predict/table_warnings.hpp"
#include "model/cost/csv.hpp"
#include "model/predict/best_plan.hpp"
#include "model/predict/graph/predict_strategy.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {

// Returns whether the 95 % interval of the predicted T and the causes of E can be computed. Both need a case
// whose all-reduces overlap with compute, and that follows a recurrence of docs/model.md.
static bool has_bands(Case const& item) {
  return item.overlapped() && model::follows_recurrence(item.strategy);
}

// Sends a plan from rank 0 to all ranks. Only rank 0 has the costs, so only rank 0 can compute the best plan.
void Session::share_plan(Case& item) const {
  std::vector<std::int64_t> ends(context_.workload.gradient_bytes.size() + 1, 0);
  for (auto const& bucket : item.plan) ends[++ends[0]] = static_cast<std::int64_t>(bucket.last);
  context_.runtime.broadcast(ends);
  const std::vector<std::size_t> last(ends.begin() + 1, ends.begin() + 1 + ends[0]);
  item.plan = model::plan_ending_at(context_.workload.gradient_bytes, last);
}

void Session::predict_case(std::size_t item, model::Measurements const& measurements) {
  auto& report = reports_[item];
  report.predicted = ddproxy::predict(report.item, job_);
  report.predicted_compute = job_.t_compute;
  auto undisturbed = job_;
  undisturbed.contention = {};
  report.uncontended = ddproxy::predict(report.item, undisturbed).total - job_.t_compute;
  if (has_bands(report.item)) uncertainty_[item].terms = model::explain(measurements, report.item.plan);
}

void Session::predict_bands(model::Measurements const& measurements) {
  std::vector<std::size_t> items;
  std::vector<model::Plan> plans;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (!has_bands(reports_[i].item)) continue;
    items.push_back(i);
    plans.push_back(reports_[i].item.plan);
  }
  const auto bands = model::bootstrap(measurements, model::Jitter::included, plans);
  best_cap_ = bands.best_cap;
  for (std::size_t k = 0; k < items.size(); ++k) uncertainty_[items[k]].total = bands.total[k];
}

void Session::warn_of_table() const {
  const auto warn = [](std::string const& doubt) {
    if (!doubt.empty()) results::say_error(fmt::format("warning: {}", doubt));
  };
  Extrapolation beyond(cost_->table(), context_.workload.wire);
  for (auto const& report : reports_) beyond.look(report.item.name(), report.item.plan);
  const auto file = known_cost_ ? context_.config.table : std::filesystem::path();
  warn(fall_warning(known_cost_
                        ? model::read_allreduce(file, context_.config.ranks, context_.config.ranks_per_node)
                        : to_table(sizes_of_state()),
                    file));
  warn(beyond.warning(file));
}

void Session::plan_from_input() {
  context_.runtime.together([&] {
    const auto job = input_job(context_.config, context_.workload);
    if (job) floor_ = model::floor_seconds(*job);
    for (auto& report : reports_) {
      if (!report.item.is_optimal()) continue;
      if (!job)
        throw CollectiveError(
            exit_usage,
            "the strategy \"optimal\" needs the times of operators and all-reduces, and this input has none; "
            "use `run`, which measures them, or remove \"optimal\" from [sweep] strategies");
      plan_optimal(report.item, *job, first_bucket_of(context_.config));
    }
  });
}

// Gathers the measurements for a prediction from the tables of the state `state_`. Then derives two members
// from them: floor_, and job_, which is the input of the model.
model::Measurements Session::take_measurements() {
  auto measurements = collect_measurements(context_, operations_of_state(), sizes_of_state(),
                                           context_.reduces() ? nullptr : &*cost_);
  measurements.copies = context_.copies;
  measurements.handover = handover_of_state();
  for (auto const& run : runs_of_state()) measurements.contention.push_back(samples_of(run));
  measurements.first_bucket = first_bucket_of(context_.config);
  measurements.drift = drift_of(phases_);
  job_ = model::job_from(measurements, model::Jitter::included);
  floor_ = model::floor_seconds(job_);
  return measurements;
}

// Makes the plans of the strategy `optimal` from the first rounds of the calibration. These plans are
// verified, and the sweep measures them.
void Session::plan_optimal_cases() {
  if (root()) {
    settle_tables(recorder_->sizes());
    cost_ = known_cost_ ? *known_cost_ : model::TableCost(to_table(sizes_of_state()));
    take_measurements();
  }
  for (auto& report : reports_) {
    if (!report.item.is_optimal()) continue;
    if (root()) plan_optimal(report.item, job_, first_bucket_of(context_.config));
    share_plan(report.item);
  }
}

// Predicts every case from the tables, and records the predictions. Runs on rank 0 only.
void Session::predict() {
  const auto measurements = take_measurements();
  uncertainty_.assign(reports_.size(), {});
  for (std::size_t i = 0; i < reports_.size(); ++i) predict_case(i, measurements);
  predict_bands(measurements);
  recorder_->predictions(reports_, floor_);
  recorder_->uncertainty(uncertainty_);
  recorder_->handover(job_.handover);
}

}  // namespace ddproxy
