// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/prediction_text.hpp"
#include "miniapp/input/model_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "model/cost/topology.hpp"
#include "model/predict/closed_form.hpp"

namespace ddproxy {
namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr auto any_cap_text = "any cap";

std::string range_text(model::CapRange const& range) {
  if (range.low == 1 && range.high == model::any_cap) return any_cap_text;
  if (range.low == 1) return fmt::format("up to {} MiB", cap_text(range.high));
  if (range.high == model::any_cap) return fmt::format("{} MiB and more", cap_text(range.low));
  return fmt::format("{} to {} MiB", cap_text(range.low), cap_text(range.high));
}

std::string plateau_text(Prediction const& p) {
  if (p.best.low == 1 && p.best.high == model::any_cap) return "all caps give the same T";
  const bool same = p.plateau.low == p.best.low && p.plateau.high == p.best.high;
  if (same) return "just outside this interval, T is more than 0.1 % larger";
  const std::string caps = range_text(p.plateau);
  return "with " + (caps == any_cap_text ? caps : "a cap of " + caps) + ", T is at most 0.1 % larger";
}

std::string case_table(Prediction const& prediction) {
  std::string text = fmt::format("{:<16} {:>7} {:>11} {:>11} {:>11} {:>12}\n", "case", "buckets", "T ms",
                                 "E ms", "tail ms", "slowdown ms");
  for (auto const& c : prediction.cases)
    fmt::format_to(Out(text), "{:<16} {:>7} {:>11.3f} {:>11.3f} {:>11.3f} {:>12.3f}\n", c.item.name(),
                   c.item.plan.size(), c.timeline.total * milli, c.exposed * milli, c.timeline.tail() * milli,
                   c.timeline.slowdown(prediction.job.t_compute) * milli);
  return text;
}

double worst_bucketed(Prediction const& prediction) {
  double worst = prediction.best.seconds;
  for (auto const& c : prediction.cases)
    if (c.item.is_bucketed()) worst = std::max(worst, c.timeline.total);
  return worst;
}

// Returns for example "8.576 ms (3.7 %) smaller".
std::string smaller_text(double seconds, double base) {
  return fmt::format("{:.3f} ms ({:.1f} %) smaller", (base - seconds) * milli, 100 * (base - seconds) / base);
}

std::string tuning_text(Prediction const& prediction, model::FirstBucket first) {
  const double best = prediction.best.seconds;
  const double common = model::simulate(prediction.job, plan_at(prediction.job, common_cap_mib, first)).total;
  return fmt::format(
      "tuning: T with the best cap is {} than T with {:g} MiB, and {} than T with the worst cap of the "
      "table. T with the best plan is {} than T with the best cap\n",
      smaller_text(best, common), common_cap_mib, smaller_text(best, worst_bucketed(prediction)),
      smaller_text(std::min(prediction.plan_seconds, best), best));
}

// Describes the throughput of the backward pass with the best cap. Returns an empty string if the number of
// ranks is unknown.
std::string throughput_text(Prediction const& p) {
  if (p.network.ranks == 0) return "";
  const auto tokens = p.rank_tokens > 0 ? fmt::format("{:.6g} tokens/s, ", p.tokens_per_s()) : "";
  return fmt::format(
      "throughput with the best cap: {}{:.4g} times that of one rank, parallel efficiency {:.1f} %\n", tokens,
      p.scaling(), 100 * p.efficiency());
}

// Returns the numbers of buckets with the best caps. All best caps give the same T, but their plans may have
// different numbers of buckets.
std::string buckets_text(Prediction const& prediction, model::FirstBucket first) {
  auto const& sizes = prediction.job.gradient_bytes;
  const auto count = [&](std::int64_t cap) {
    const std::int64_t caps[] = {first.value_or(cap), cap};
    return model::bucketed_plan(sizes, caps).size();
  };
  const auto most = count(prediction.best.low), fewest = count(prediction.best.high);
  return most == fewest ? fmt::format("{} buckets", most) : fmt::format("{} to {} buckets", most, fewest);
}

char const* regime_text(model::Regime regime) {
  switch (regime) {
    case model::Regime::compute_bound:
      return "compute-bound";
    case model::Regime::balanced:
      return "balanced";
    default:
      return "network-bound";
  }
}

std::string affine_text(Prediction const& p) {
  return fmt::format(
      "affine fit of the time of an all-reduce of x bytes (only the rough check uses it): {:.1f} us + x / "
      "{:.2f} GB/s, mean error {:.1f} %, largest {:.1f} %\n",
      p.affine.alpha * 1e6, p.affine.beta / 1e9, 100 * p.affine_error.mean, 100 * p.affine_error.largest);
}

// The best cap is in bytes of gradients in memory. The affine fit counts bytes on the wire, so its bandwidth
// is converted to bytes of gradients.
std::string closed_form_text(Prediction const& p, WireFormat wire) {
  if (!(p.affine.alpha > 0) || !std::isfinite(p.affine.beta))
    return "rough check: not possible, because the affine fit has no latency above 0, or no finite "
           "bandwidth\n";
  double bytes = 0;
  for (const auto each : p.job.gradient_bytes) bytes += static_cast<double>(each);
  const double bandwidth = p.affine.beta * gradient_element_bytes / wire_element_bytes(wire);
  const model::UniformJob uniform{bytes, p.affine.alpha, bandwidth, p.job.t_compute};
  return fmt::format(
      "rough check: {}, because sending all bytes at the bandwidth of the affine fit takes {:.3f} times as "
      "long as compute (this ratio is rho_w).{} If all gradients had the same size, the best cap would be "
      "{:.2f} MiB; the real gradients differ, so use the best cap above\n",
      regime_text(model::regime(uniform)), uniform.load(),
      uniform.load() >= p.rho() + 0.005
          ? fmt::format(
                " rho_w leaves out the latency, so it should be below rho, {:.3f}. It is not, because "
                "the fit is not exact.",
                p.rho())
          : "",
      model::uniform_best_bucket(uniform) / model::bytes_per_mib);
}

std::string percent(double share, int digits) {
  return std::isfinite(share) ? fmt::format("{:.{}f} %", 100 * share, digits) : "-";
}

bool gains(double seconds, double base) {
  return base - seconds >= negligible_gain * base;
}

}  // namespace

std::string cap_text(std::int64_t bytes) {
  return fmt::format("{:.4g}", static_cast<double>(bytes) / model::bytes_per_mib);
}

std::string describe(PredictInput const& input, Prediction const& p) {
  std::string text =
      fmt::format("{}: {} gradients, {:.1f} MiB{}\n", model_words(input.name), p.job.gradient_bytes.size(),
                  static_cast<double>(input.workload.bytes()) / model::bytes_per_mib,
                  p.network.ranks > 0 ? ", " + model::ranks_text(p.network.ranks) : "");
  const auto first = first_bucket_of(input.config);
  text += case_table(p);
  fmt::format_to(
      Out(text),
      "T_compute {:.3f} ms, T_comm {:.3f} ms, T_comm / T_compute (rho) {:.2f}, lower bound on E {:.3f} ms\n",
      p.job.t_compute * milli, p.t_comm * milli, p.rho(), p.floor * milli);
  fmt::format_to(Out(text), "best cap (b*): {} ({}): T {:.3f} ms, E {:.3f} ms; {}\n", range_text(p.best),
                 buckets_text(p, first), p.best.seconds * milli, (p.best.seconds - p.job.t_compute) * milli,
                 plateau_text(p));
  fmt::format_to(Out(text), "best plan: {} buckets: T {:.3f} ms, E {:.3f} ms\n", p.plan.size(),
                 p.plan_seconds * milli, (p.plan_seconds - p.job.t_compute) * milli);
  return text + throughput_text(p) + tuning_text(p, first) + affine_text(p) +
         closed_form_text(p, input.workload.wire);
}

std::string ranks_table(std::vector<Prediction> const& predictions) {
  std::string text = fmt::format("{:>8} {:>11} {:>11} {:>12} {:>10} {:>12}\n", "ranks", "T ms", "E ms",
                                 "tokens/s", "scaling", "efficiency");
  for (auto const& p : predictions)
    fmt::format_to(Out(text), "{:>8} {:>11.3f} {:>11.3f} {:>12} {:>10.4g} {:>10.1f} %\n", p.network.ranks,
                   p.best.seconds * milli, (p.best.seconds - p.job.t_compute) * milli,
                   p.rank_tokens > 0 ? fmt::format("{:.6g}", p.tokens_per_s()) : "-", p.scaling(),
                   100 * p.efficiency());
  return text;
}

std::string pytorch_lines(Prediction const& p) {
  auto const& advice = p.pytorch;
  const double base = advice.default_seconds;
  std::string text = fmt::format(
      "PyTorch DistributedDataParallel with its default (first bucket 1 MiB, then 25 MiB): T {:.3f} ms\n",
      base * milli);
  const bool cap_gains = gains(advice.cap_seconds, base);
  if (!cap_gains && !gains(advice.list_seconds, base))
    return text + "  Keep the default: no other bucket sizes make T more than 0.1 % shorter here.\n";
  fmt::format_to(
      Out(text),
      "  # if help(DistributedDataParallel) shows bucket_cap_mb_list: T is {} than with the default\n"
      "  bucket_cap_mb_list=[{}]\n",
      smaller_text(advice.list_seconds, base), fmt::join(model::cap_list_mib(advice.list), ", "));
  if (!cap_gains) return text + "  # else: keep the default, no other cap makes T more than 0.1 % shorter\n";
  fmt::format_to(Out(text), "  # else: T is {} than with the default\n  bucket_cap_mb={}\n",
                 smaller_text(advice.cap_seconds, base), advice.cap_mib);
  return text;
}

std::string score_table(CurveScore const& score) {
  std::string text = fmt::format(
      "compared with the times of {} (their noise is not known, so {} % of T is assumed)\n"
      "{:<24} {:>12} {:>12} {:>9} {:>9} {:>9}\n",
      score.file, 100 * curve_noise, "predictor of E", "mean error", "beyond noise", "maximum", "in order",
      "regret");
  for (auto const& [name, s] : score.rows)
    fmt::format_to(Out(text), "{:<24} {:>12} {:>12} {:>9} {:>9} {:>9}\n", name, percent(s.mean_error, 1),
                   percent(s.beyond_noise, 1), percent(s.max_error, 1), percent(s.ordered, 0),
                   percent(s.regret, 2));
  text +=
      "beyond noise: mean error after subtracting the noise. in order: share of the pairs of caps that the "
      "predictor puts in the right order. best constant: one E for all caps. near 25 MiB: for all caps the E "
      "measured at the cap nearest to 25 MiB\n";
  if (!score.why_no_error.empty())
    fmt::format_to(Out(text), "error: not known, because {}\n", score.why_no_error);
  if (!score.why_no_regret.empty())
    fmt::format_to(Out(text), "regret: not known, because {}\n", score.why_no_regret);
  return text;
}

std::string to_csv(std::vector<Prediction> const& predictions) {
  std::string text = "ranks,case,strategy,bucket_mib,buckets,predicted_s,exposed_s,tail_s,slowdown_s\n";
  for (auto const& p : predictions)
    for (auto const& c : p.cases)
      fmt::format_to(Out(text), "{},{},{},{},{},{},{},{},{}\n", p.network.ranks, c.item.name(),
                     c.item.strategy.name, c.item.has_cap() ? fmt::format("{}", c.item.cap_mib) : "",
                     c.item.plan.size(), c.timeline.total, c.exposed, c.timeline.tail(),
                     c.timeline.slowdown(p.job.t_compute));
  return text;
}

}  // namespace ddproxy
