// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"
#include "model/statistics/estimate.hpp"
#include "model/step/cap_walk.hpp"

namespace ddproxy {
namespace {

// Returns `bytes` as an integer. Returns -1 if `bytes` is NaN, or if the best caps have no upper end. There
// is no upper end if one bucket with all gradients is best, because all caps above some size make this
// bucket.
std::int64_t whole_bytes(double bytes) {
  return bytes < static_cast<double>(model::any_cap) ? static_cast<std::int64_t>(bytes) : -1;
}

}  // namespace

void Recorder::speeds(std::vector<ContentionSample> const& runs, std::span<const model::CostPoint> table) {
  const model::AlphaBeta fit = model::fit_alpha_beta(table);
  const model::RelativeError error = model::error_of(fit, table);
  writer_.write("/calibration/alpha", Reals{fit.alpha});
  writer_.write("/calibration/beta", Reals{fit.beta});
  writer_.write("/calibration/fit_error_mean", Reals{error.mean});
  writer_.write("/calibration/fit_error_max", Reals{error.largest});
  if (!runs.empty()) {
    writer_.write("/calibration/kappa", column<Reals>(runs, [](auto& run) { return speeds_of(run).kappa; }));
    writer_.write("/calibration/gamma", column<Reals>(runs, [](auto& run) { return speeds_of(run).gamma; }));
  }
}

void Recorder::uncertainty(std::vector<Uncertainty> const& cases) {
  writer_.write("/sweep/predicted_low", column<Reals>(cases, [](auto& c) { return c.total.low; }));
  writer_.write("/sweep/predicted_high", column<Reals>(cases, [](auto& c) { return c.total.high; }));
  const auto term = [&](double model::Waterfall::*part) {
    return column<Reals>(cases, [=](Uncertainty const& c) { return c.terms.*part; });
  };
  writer_.write("/sweep/ideal", term(&model::Waterfall::ideal));
  writer_.write("/sweep/with_contention", term(&model::Waterfall::contention));
  writer_.write("/sweep/with_copies", term(&model::Waterfall::copies));
  writer_.write("/sweep/with_jitter", term(&model::Waterfall::jitter));
}

void Recorder::phases(std::vector<Phase> const& phases, std::string const& drift) {
  const auto compute = [&](double model::Estimate::*part) {
    return column<Reals>(phases, [=](Phase const& p) { return p.compute.*part; });
  };
  writer_.write("/phases/name", column<std::vector<std::string>>(phases, [](auto& p) { return p.name; }));
  writer_.write("/phases/compute", compute(&model::Estimate::value));
  writer_.write("/phases/compute_low", compute(&model::Estimate::low));
  writer_.write("/phases/compute_high", compute(&model::Estimate::high));
  writer_.write("/phases/allreduce", column<Reals>(phases, &Phase::allreduce));
  writer_.attribute("/phases", "drift", drift);
}

void Recorder::score(model::ScoreCard const& card, model::Band best_cap) {
  const model::Score scores[] = {card.model, card.constant, card.pytorch_default, card.uncontended};
  writer_.write("/score/predictor",
                std::vector<std::string>{"model", "constant", "pytorch_default", "uncontended"});
  writer_.write("/score/mean_error", column<Reals>(scores, [](auto& s) { return s.mean_error; }));
  writer_.write("/score/max_error", column<Reals>(scores, [](auto& s) { return s.max_error; }));
  writer_.write("/score/beyond_noise", column<Reals>(scores, [](auto& s) { return s.beyond_noise; }));
  writer_.write("/score/pairs_in_order", column<Reals>(scores, [](auto& s) { return s.ordered; }));
  writer_.write("/score/regret", column<Reals>(scores, [](auto& s) { return s.regret; }));
  writer_.write("/score/tail_error", Reals{card.tail_error, not_available, not_available, not_available});
  writer_.write("/score/slowdown_error",
                Reals{card.slowdown_error, not_available, not_available, not_available});
  writer_.write("/score/b_star_measured", Integers{to_bytes(card.measured_cap_mib)});
  writer_.write("/score/b_star_predicted", Integers{to_bytes(card.predicted_cap_mib)});
  writer_.write("/score/b_star_low", Integers{whole_bytes(best_cap.low)});
  writer_.write("/score/b_star_high", Integers{whole_bytes(best_cap.high)});
}

}  // namespace ddproxy
