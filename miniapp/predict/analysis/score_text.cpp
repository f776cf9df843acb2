// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/score_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddproxy {
namespace {

std::string percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.3g} %", 100 * share);
}

// Says from what the limit of the noise of E is computed: from E, or, if E is small, from T.
std::string limit_text(model::ScoredCase const& item) {
  const double scale = model::error_scale(item);
  if (scale <= item.measured.total()) return fmt::format("{:g} % of E", 100 * model::most_noise);
  const double share = 100 * scale / item.measured_total;
  return fmt::format("{:.3g} % of T (not {:g} % of E, because E is below {:.3g} % of T)",
                     model::most_noise * share, 100 * model::most_noise, share);
}

}  // namespace

std::string why_no_error(std::span<const model::ScoredCase> cases, model::ScoreCard const& card) {
  if (!card.unscored) return "";
  auto const& worst = cases[*card.unscored];
  if (std::isnan(worst.noise))
    return fmt::format("{} has one sample, so the noise of its E is not known; take two samples or more",
                       worst.name);
  return fmt::format(
      "the noise of E of {} is {:.3g} ms, above the limit of {:.3g} ms, which is {}; take more samples "
      "([sweep] samples), or measure on a quieter machine",
      worst.name, worst.noise * 1e3, model::most_noise * model::error_scale(worst) * 1e3, limit_text(worst));
}

std::string why_no_regret(std::span<const model::ScoredCase> cases) {
  if (cases.size() >= model::fewest_caps) return "";
  return fmt::format("at least {} caps are needed; measured: {}", model::fewest_caps, cases.size());
}

std::string score_lines(std::span<const model::ScoredCase> cases, model::ScoreCard const& card) {
  const auto no_regret = why_no_regret(cases);
  if (const auto no_error = why_no_error(cases, card); !no_error.empty())
    return fmt::format("model_error is not known (nan): {}\n", no_error) +
           (no_regret.empty() ? "" : fmt::format("regret is not known (nan): {}\n", no_regret));
  auto text = fmt::format(
      "mean error of the predicted E: {} ({} after subtracting the noise). Three simpler predictions have "
      "these mean errors: {} (one E for all bucket sizes, fitted to the measurements), {} (the E measured at "
      "the cap nearest to 25 MiB, for all bucket sizes), {} (the model without contention)\n",
      percent(card.model.mean_error), percent(card.model.beyond_noise), percent(card.constant.mean_error),
      percent(card.pytorch_default.mean_error), percent(card.uncontended.mean_error));
  return no_regret.empty() ? text : text + fmt::format("regret is not known (nan): {}\n", no_regret);
}

}  // namespace ddproxy
