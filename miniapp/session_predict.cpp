// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/check.hpp"
#include "miniapp/session.hpp"

namespace ddproxy {

void Session::calibrate() {
  say("running compute beside all-reduces");
  co_runs_ = ddproxy::calibrate(bench_, bench_.config.samples);
  if (bench_.copying && bench_.config.compute == ComputeMode::kernels)
    bench_.copies.bandwidth = measure_copy_bandwidth(bench_, bench_.config.samples);
  if (root()) recorder_->calibration(co_runs_, model::fit_alpha_beta(cost_->table()));
}

// Rank 0 has the costs, and so the best plan; the others need to know it.
void Session::share_plan(Case& item) const {
  std::vector<std::int64_t> ends(bench_.workload.gradient_bytes.size() + 1, 0);
  for (auto const& bucket : item.plan) ends[++ends[0]] = static_cast<std::int64_t>(bucket.last);
  bench_.runtime.broadcast(ends);
  const std::vector<std::size_t> last(ends.begin() + 1, ends.begin() + 1 + ends[0]);
  item.plan = model::plan_ending_at(bench_.workload.gradient_bytes, last);
}

void Session::predict_case(std::size_t item) {
  auto& report = reports_[item];
  evidence_.contention = contention_for(report.item.plan, co_runs_);
  const auto job = model::job_from(evidence_, model::Jitter::included);
  report.predicted = ddproxy::predict(report.item, job);
  report.predicted_compute = job.t_compute;
  if (report.item.overlapped) uncertainty_[item].terms = model::explain(evidence_, report.item.plan);
}

// One bootstrap for all plans of the same contention.
void Session::predict_bands() {
  std::vector<model::Contention> seen;
  for (auto const& report : reports_) {
    const auto contention = contention_for(report.item.plan, co_runs_);
    const auto same = [&](model::Contention const& c) {
      return c.kappa == contention.kappa && c.gamma == contention.gamma;
    };
    if (std::ranges::any_of(seen, same)) continue;
    seen.push_back(contention);
    std::vector<std::size_t> items;
    std::vector<model::Plan> plans;
    for (std::size_t i = 0; i < reports_.size(); ++i)
      if (reports_[i].item.overlapped && same(contention_for(reports_[i].item.plan, co_runs_))) {
        items.push_back(i);
        plans.push_back(reports_[i].item.plan);
      }
    evidence_.contention = contention;
    const auto bands = model::bootstrap(evidence_, model::Jitter::included, plans);
    if (same(typical_contention(co_runs_))) best_cap_ = bands.best_cap;
    for (std::size_t k = 0; k < items.size(); ++k) uncertainty_[items[k]].total = bands.total[k];
  }
}

void Session::plan_from_input() {
  bench_.runtime.together([&] {
    const auto job = input_job(bench_.config, bench_.workload);
    for (auto& report : reports_) {
      if (report.item.strategy != Strategy::optimal) continue;
      if (!job)
        throw Agreed(
            exit_usage,
            "the strategy \"optimal\" needs costs, and this input states none: use `run`, which measures "
            "them, or leave it out of [sweep] strategies");
      plan_optimal(report.item, *job);
    }
  });
}

void Session::predict() {
  say("predicting");
  if (root()) {
    evidence_ =
        collect_evidence(bench_, layer_times_, allreduce_times_, bench_.reduces() ? nullptr : &*cost_);
    evidence_.copies = bench_.copies;
    evidence_.contention = typical_contention(co_runs_);
  }
  for (auto& report : reports_) {
    if (report.item.strategy != Strategy::optimal) continue;
    if (root()) plan_optimal(report.item, model::job_from(evidence_, model::Jitter::included));
    share_plan(report.item);
  }
  predicted_ = true;
  if (!root()) return;
  uncertainty_.resize(reports_.size());
  for (std::size_t i = 0; i < reports_.size(); ++i) predict_case(i);
  predict_bands();
}

}  // namespace ddproxy
