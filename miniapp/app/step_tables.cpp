// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/step_tables.hpp"
#include "miniapp/input/model_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "model/statistics/median_interval.hpp"

namespace ddproxy {
namespace {

std::string ms(double seconds) {
  return std::isnan(seconds) ? "-" : fmt::format("{:.3f}", seconds * milli);
}

// Rounds to the digit that is printed, so that a small negative share is "0.0" and not "-0.0".
std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", std::round(1000 * share) / 10 + 0.0) : "-";
}

// Returns whether both the measured and the predicted time of a row are 0, because the step has no such part.
// Such rows are not printed.
bool is_empty(StepRow const& row) {
  return row.median.value == 0 && row.predicted == 0;
}

// If the measured and the predicted time of a row are below this share of the step, the error of the row is
// not shown. For the row "exposed" only the measured time counts. The relative error of so short a time may
// be large, but it does not matter.
constexpr double least_share = 0.005;

double seconds_of_step(StepFigures const& f) {
  for (auto const& row : f.rows)
    if (row.name == "step") return row.median.value;
  return NAN;
}

bool hides_error(StepRow const& row, double step) {
  const bool is_predicted_small = row.name == "exposed" || row.predicted < least_share * step;
  return row.median.value < least_share * step && is_predicted_small;
}

std::string row_text(StepRow const& row, double step) {
  return fmt::format("{:<10}  {:>11}  {:>10}  {:>9}  {:>10}  {:>10}  {:>14}  {:>8}  {:>18}  {:>10}\n",
                     row.name, ms(row.median.value), ms(row.mean), ms(row.deviation), ms(row.median.low),
                     ms(row.median.high), ms(row.predicted),
                     hides_error(row, step) ? "-" : percent(row.error()), ms(row.uncontended), ms(row.first));
}

std::string lane_row(std::string const& name, double busy, double predicted) {
  return fmt::format("{:<32}  {:>10}  {:>14}\n", name, ms(busy), ms(predicted));
}

std::string lanes_text(StepLanes const& lanes) {
  if (lanes.rows.empty()) return "";
  std::string text = fmt::format("\n{:<32}  {:>10}  {:>14}\n", "lanes of rank 0 in the last step",
                                 "busy (ms)", "predicted (ms)");
  for (auto const& [name, busy, predicted] : lanes.rows) text += lane_row(name, busy, predicted);
  return text + lane_row("bubble", lanes.bubble, lanes.predicted_bubble) +
         "busy: the time in which the lane carries out tasks. bubble: the time in which the compute lane "
         "carries out none\n";
}

double part_of(double part, double all) {
  return all > 0 ? part / all : NAN;
}

std::string kinds_text(std::vector<KindSeconds> const& kinds) {
  KindSeconds all;
  for (auto const& kind : kinds) {
    if (kind.kind == "matrix products") continue;  // a sum of other rows
    all.forward += kind.forward;
    all.backward += kind.backward;
    all.step += kind.step;
  }
  std::string text =
      fmt::format("\nshare of compute (%)  {:>8} {:>9} {:>8}\n", "forward", "backward", "step");
  for (auto const& kind : kinds)
    text += fmt::format("{:<20}  {:>8} {:>9} {:>8}\n", kind.kind, percent(part_of(kind.forward, all.forward)),
                        percent(part_of(kind.backward, all.backward)), percent(part_of(kind.step, all.step)));
  return text;
}

// Returns the key of [machine] from which StepFigures::peak_flops comes.
std::string peak_key(Config const& config) {
  return config.peaks.contains(config.precision)
             ? fmt::format("peak_flops_{}", word_of(config.precision, precision_words))
             : "peak_flops";
}

std::string flops_text(StepFigures const& f, Config const& config) {
  std::string text = fmt::format("model flops: {:.4g} GFLOP/s of each rank", f.model_flops_per_s / 1e9);
  const auto share = [&](double peak) { return percent(f.model_flops_per_s / peak); };
  if (!std::isnan(f.measured_peak))
    text += fmt::format(", {} % of the {:.4g} GFLOP/s that large matrix products reach on each rank",
                        share(f.measured_peak), f.measured_peak / 1e9);
  if (!std::isnan(f.peak_flops))
    text += fmt::format(", {} % of the peak in the input ([machine] {}, {:.4g} GFLOP/s)", share(f.peak_flops),
                        peak_key(config), f.peak_flops / 1e9);
  return text + "\n";
}

// Returns a line that says how the step was carried out.
std::string heading(Config const& config) {
  const bool simulated = config.compute == ComputeMode::replay && config.backend == Backend::replay;
  return fmt::format("{}: compute: {}, all-reduce: {}{}\n", model_words(config.model),
                     word_of(config.compute, compute_mode_words), word_of(config.backend, backend_words),
                     simulated ? " (all times are simulated; nothing was measured on this machine)" : "");
}

}  // namespace

std::string verification_text(bool reduces, int ranks) {
  if (!reduces)
    return "verification: one replayed step; its collectives ran in order, and none too early. Nothing was "
           "reduced\n";
  return fmt::format(
      "verification: one step with known numbers; gradients, parameters and optimizer states are right on "
      "{}\n",
      ranks == 1 ? "the rank" : fmt::format("all {} ranks", ranks));
}

std::string step_table(StepFigures const& f, Config const& config, double cap_mib) {
  std::string text = heading(config);
  text += fmt::format("{:<10}  {:>11}  {:>10}  {:>9}  {:>10}  {:>10}  {:>14}  {:>8}  {:>18}  {:>10}\n",
                      "part", "median (ms)", "mean (ms)", "sd (ms)", "from (ms)", "to (ms)", "predicted (ms)",
                      "error %", "no contention (ms)", "first (ms)");
  for (auto const& row : f.rows)
    if (!is_empty(row)) text += row_text(row, seconds_of_step(f));
  const bool few = f.rows.front().samples.size() < model::fewest_for_an_interval;
  const bool hidden = std::ranges::any_of(
      f.rows, [&](auto const& row) { return !is_empty(row) && hides_error(row, seconds_of_step(f)); });
  text += fmt::format(
      "from, to: {}; no contention: what is predicted if compute and all-reduces do not slow each other; "
      "first: the first step of the run\n"
      "in each sample the rows above the row step add up to it, but their medians need not. waiting: compute "
      "waits for communication or for another rank\n"
      "exposed: exposed communication E, the step minus the same compute measured without communication. The "
      "first step has no E (-), because it has no such measurement{}\n",
      few ? "Student's 95 % interval of the mean, because fewer than six samples have no interval of the "
            "median"
          : "95 % interval of the median",
      hidden ? "\nerror: \"-\" where both the measured and the predicted time are below 0.5 % of the step. "
               "For E it is \"-\" if the measured time is below 0.5 %, whatever was predicted"
             : "");
  text += lanes_text(f.lanes) + kinds_text(f.kinds);
  text += fmt::format(
      "matrix products: the sum of the rows linear and head\n\n"
      "global batch: {} sequences = {} in a micro-batch x {} micro-batch{} x {} rank{}; {}\n",
      f.global_batch, config.tokens.batch, config.step.accumulation,
      config.step.accumulation == 1 ? "" : "es", f.ranks, f.ranks == 1 ? "" : "s",
      reduced_parts_text(config.sharding, cap_mib));
  if (is_sharded(config)) text += fmt::format("sharding: {}\n", sharding_sentence(config.sharding));
  if (std::isfinite(f.host_waits))
    text += fmt::format(
        "host waits: {} ms of a step. A host wait is the time from the end of a collective until the host "
        "gives the device the next task. The host waits are part of E\n",
        ms(f.host_waits));
  if (std::isfinite(f.loss))
    text += fmt::format("loss after {} step{}: {:.6g}\n", f.steps, f.steps == 1 ? "" : "s", f.loss);
  text += fmt::format("throughput: {:.5g} tokens/s\n", f.tokens_per_s);
  return text + flops_text(f, config);
}

}  // namespace ddproxy
