// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>

#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {

void Recorder::step_settings(Config const& config, double cap_mib, int ranks) {
  auto const& s = config.step;
  const auto set = [&](char const* name, auto const& value) { writer_.attribute("/step", name, value); };
  set("ranks", std::int64_t{ranks});
  set("accumulation", std::int64_t{s.accumulation});
  set("sync", std::string(word_of(s.sync, sync_words)));
  set("checkpoint", std::string(word_of(s.checkpoint, checkpoint_words)));
  set("sharding", sharding_text(config.sharding));
  set("optimizer", std::string(word_of(s.optimizer, optimizer_words)));
  set("clip", s.clip.value_or(not_available));
  set("bucket_mib", cap_mib);
  set("backend", std::string(word_of(config.backend, backend_words)));
  set("progress", std::string(word_of(config.progress, progress_words)));
  set("copies", std::string(word_of(config.copies, copy_words)));
  set("wire", std::string(word_of(config.wire, wire_words)));
  set("compute_mode", std::string(word_of(config.compute, compute_mode_words)));
  set("warmup", std::int64_t{config.warmup});
  if (config.backend == Backend::mpi) {
    set("piece_mib", config.piece_mib);
    set("call_setting", std::string(word_of(config.mpi_call, call_kind_words)));
  }
  if (config.backend == Backend::nccl) set("priority", std::string(word_of(config.priority, priority_words)));
}

void Recorder::step_verified(bool right) {
  writer_.write("/step/verified", Integers{right});
}

void Recorder::step_kinds(std::vector<KindSeconds> const& kinds) {
  writer_.write("/step/kind", column<Texts>(kinds, &KindSeconds::kind));
  writer_.write("/step/kind_forward", column<Reals>(kinds, &KindSeconds::forward));
  writer_.write("/step/kind_backward", column<Reals>(kinds, &KindSeconds::backward));
  writer_.write("/step/kind_step", column<Reals>(kinds, &KindSeconds::step));
}

void Recorder::step_lanes(StepLanes const& lanes) {
  writer_.write("/step/lane", column<Texts>(lanes.rows, &LaneRow::name));
  writer_.write("/step/lane_busy", column<Reals>(lanes.rows, &LaneRow::busy));
  writer_.write("/step/predicted_lane_busy", column<Reals>(lanes.rows, &LaneRow::predicted));
  writer_.write("/step/bubble", Reals{lanes.bubble});
  writer_.write("/step/predicted_bubble", Reals{lanes.predicted_bubble});
}

void Recorder::reserve_step_samples(std::size_t samples) {
  const auto parts = step_part_names();
  writer_.write("/step/part", parts);
  writer_.reserve("/step/measured", {parts.size(), samples});
  for (auto const* dataset : {"/step/alone", "/step/host_waits"}) writer_.reserve(dataset, {samples});
}

void Recorder::step_sample(std::size_t index, StepSample const& sample) {
  const auto seconds = step_part_seconds(sample);
  writer_.write_part("/step/measured", {0, index}, {seconds.size(), 1}, seconds);
  writer_.write_part("/step/alone", {index}, {1}, std::array{sample.alone});
  writer_.write_part("/step/host_waits", {index}, {1}, std::array{sample.phases.host_waits});
}

void Recorder::step(StepFigures const& figures) {
  auto const& rows = figures.rows;
  writer_.write("/step/median", column<Reals>(rows, [](auto& row) { return row.median.value; }));
  writer_.write("/step/ci_low", column<Reals>(rows, [](auto& row) { return row.median.low; }));
  writer_.write("/step/ci_high", column<Reals>(rows, [](auto& row) { return row.median.high; }));
  writer_.write("/step/mean", column<Reals>(rows, &StepRow::mean));
  writer_.write("/step/deviation", column<Reals>(rows, &StepRow::deviation));
  writer_.write("/step/predicted", column<Reals>(rows, &StepRow::predicted));
  writer_.write("/step/uncontended", column<Reals>(rows, &StepRow::uncontended));
  writer_.write("/step/first", column<Reals>(rows, &StepRow::first));
  writer_.write("/step/loss", Reals{figures.loss});
  writer_.write("/step/global_batch", Integers{figures.global_batch});
  writer_.write("/step/model_flops", Reals{figures.model_flops_per_s});
  writer_.write("/step/measured_peak", Reals{figures.measured_peak});
  writer_.write("/step/peak_flops", Reals{figures.peak_flops});
  for (auto const& [name, value] : numbers_of(figures)) writer_.attribute("/step", name, value);
  if (std::isfinite(figures.host_waits)) writer_.attribute("/step", "host_waits_s", figures.host_waits);
  if (figures.valid != results::Validity::no)  // an unfinished run gets no `valid`
    writer_.attribute("/step", "valid", std::string(word_of(figures.valid)));
}

}  // namespace ddproxy
