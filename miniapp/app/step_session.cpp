// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/step_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "kernels/gemm/gemm.hpp"
#include "miniapp/app/record/provenance.hpp"
#include "miniapp/app/step_tables.hpp"
#include "miniapp/compute/step_lane.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/machine/clock_probe.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/choose_mpi_calls.hpp"
#include "miniapp/measure/step/verify_context.hpp"
#include "model/step/describe.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

void warn(std::string const& doubt) {
  if (!doubt.empty()) results::say_error("warning: " + doubt);
}

void check_right(std::vector<SizeTimes> const& times) {
  for (auto const& size : times)
    if (size.wrong > 0)
      throw WrongNumbers(
          fmt::format("{} of {} bytes: {} wrong elements in the results of all ranks; do not use the times "
                      "of this run, and check the MPI or NCCL library",
                      model::name_of(size.verb), size.bytes, size.wrong));
}

}  // namespace

StepSession::StepSession(Options const& options, StepContext context, EarlierRounds earlier)
    : options_(options), context_(std::move(context)), earlier_(std::move(earlier)), meter_(context_) {
  auto& rank = context_.rank;
  const auto provenance = gather_provenance(rank);
  figures_.ranks = rank.ranks();
  warn(doubt_about_visible_devices(provenance.visible.count, provenance.host, provenance.uuid));
  rank.runtime.together([&] {
    if (!root()) return;
    recorder_.emplace(options, rank.config);
    recorder_->resumed(earlier_);
    recorder_->provenance(provenance);
    recorder_->model(rank.config, rank.workload);
    recorder_->step_settings(rank.config, context_.cap_mib, rank.ranks());
    recorder_->plans({context_.asked.ddp.plan});
    recorder_->flush();
    for (auto const& warning : recorder_->warnings()) results::say_error("warning: " + warning);
    if (!needs_arena(rank.config)) return;  // a twin uses none of this machine's cores
    oversubscribed_ = provenance.threads.oversubscribed;
    spinning_ = provenance.threads.spinning && context_.kernels;
    if (!provenance.threads.line.empty()) results::print_output(provenance.threads.line + "\n");
    for (auto const& warning : provenance.threads.warnings) results::say_error("warning: " + warning);
    if (context_.kernels) warn(kernels::gemm_advice());
  });
  read_clocks();
}

// Reads the clocks of the GPUs before the run.
void StepSession::read_clocks() {
  auto const& rank = context_.rank;
  if (on_device && rank.reduces())
    gpu_ = make_clock_probe(rank.runtime, describe_device(rank.runtime.device()).pci_bus);
  clocks_before_ = gather_clocks(rank.runtime, gpu_.get());
  warn(doubt_about_power_caps(clocks_before_));
}

void StepSession::say(std::string const& progress) const {
  note_step(progress);
  if (root() && isatty(STDERR_FILENO)) results::say_error(fmt::format("ddproxy: {}", progress));
}

void StepSession::initialise() {
  if (context_.kernels) context_.kernels->initialise(step_seed);
}

void StepSession::first_step() {
  say("taking the first step");
  initialise();
  first_.phases = meter_.step();
}

void StepSession::calibrate() {
  choose_mpi_calls(context_.rank, context_.lanes().size());
  context_.make_lanes();
  say("timing the all-reduces alone");
  if (root()) results::print_output(describe(context_.rank.choice));
  auto const& rank = context_.rank;
  const auto tables = calibrate_step(context_);
  rank.runtime.together([&] {
    check_right(tables.allreduce);
    for (auto const& verb : tables.verbs) check_right(verb.times);
  });
  if (!root()) return;
  if (rank.reduces()) {
    recorder_->allreduce(tables.allreduce, rank.ranks());
    for (char const* group : {"/allreduce", "/step"}) recorder_->call(group, rank);
    recorder_->allreduce_figures(tables.allreduce, rank.ranks());
    record_verbs(tables.verbs);
  }
  recorder_->calibration(tables.contention);
  recorder_->flush();
  keep_tables(tables);
}

void StepSession::verify() {
  say("verifying the step");
  auto const& rank = context_.rank;
  const auto complaints = rank.runtime.gather(verify_step(context_));
  rank.runtime.together([&] {
    if (!root()) return;
    const auto wrong = std::ranges::find_if_not(complaints, &std::string::empty);
    figures_.verified = wrong == complaints.end();
    recorder_->step_verified(figures_.verified);
    recorder_->flush();
    if (!figures_.verified)
      throw WrongNumbers(fmt::format("verification of the step (sharding {}) failed: {}",
                                     sharding_text(rank.config.sharding), *wrong));
    report_ += verification_text(rank.reduces(), rank.ranks());
  });
}

void StepSession::warm_up() {
  say("warming up");
  initialise();
  figures_.steps = std::max(1, context_.rank.config.warmup);
  for (int i = 0; i < figures_.steps; ++i) meter_.step();
  figures_.loss = meter_.loss();
  const bool equal = meter_.equal_parameters();
  const auto steps = fmt::format("{} step{}", figures_.steps, figures_.steps == 1 ? "" : "s");
  constexpr auto do_not_use = "do not use the times of this run, and check [optimizer] and the libraries";
  context_.rank.runtime.together([&] {
    if (context_.kernels && !std::isfinite(figures_.loss))
      throw WrongNumbers(fmt::format("the loss after {} is {}, but it must be a finite number; {}", steps,
                                     figures_.loss, do_not_use));
    if (!equal)
      throw WrongNumbers(
          fmt::format("after {} the parameters differ between the ranks, or a parameter is not finite; {}",
                      steps, do_not_use));
  });
}

void StepSession::sample() {
  auto const& rank = context_.rank;
  const int samples = rounds_to_take(rank.config);
  if (root()) recorder_->reserve_step_samples(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) {
    stop_where_signalled(rank.runtime);
    say(fmt::format("measuring steps, sample {} of {}", i + 1, samples));
    StepSample sample;
    if (i % 2 == 0) sample.alone = meter_.alone();
    sample.phases = meter_.step();
    if (i % 2 == 1) sample.alone = meter_.alone();
    keep(i, sample);
  }
}

// Records one sample. Rank 0 may then write the file while the other ranks wait.
void StepSession::keep(int index, StepSample const& sample) {
  context_.rank.runtime.together([&] {
    if (!root()) return;
    recorder_->step_sample(static_cast<std::size_t>(index), sample);
    recorder_->flush_if_due();
  });
}

}  // namespace ddproxy
