// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/analysis/stopping.hpp"
#include "miniapp/analysis/sweep_states.hpp"
#include "miniapp/app/provenance.hpp"
#include "miniapp/measure/calibration/collect_measurements.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/calibration/phases.hpp"
#include "miniapp/measure/sweep/sweep.hpp"
#include "miniapp/measure/verification/precision.hpp"
#include "miniapp/measure/verification/wire_error.hpp"
#include "miniapp/options/options.hpp"
#include "results/file/writer.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy {

/// Of one case's prediction: 95 % bands, and the terms that lead to it, E in seconds.
struct Uncertainty {
  model::Band total{not_available, not_available};
  model::Waterfall terms{not_available, not_available, not_available, not_available};
};

/// Puts what a run finds into its results file, step by step; lives on rank 0. The file is kept in memory:
/// flush() at the end of each step and flush_if_due() between the rounds of the sweep write it to the disk,
/// and so does the destructor. Errors as of results::Writer.
class Recorder {
 public:
  Recorder(Options const& options, Config const& config);

  void provenance(Provenance const& provenance);
  void model(Config const& config, Workload const& workload);
  /// All passes, with their probes.
  void layers(Config const& config, Workload const& workload, OperationTimes const& times);
  /// Of the passes that count; may be called again.
  void ready_times(ReadyTimes const& ready);
  /// All samples, with their probes.
  void allreduce(std::vector<SizeTimes> const& times, int ranks);
  /// By which call MPI reduced: an attribute of `group`; none where it reduced nothing.
  void call(std::string_view group, RankContext const& context);
  /// Medians and bandwidths of those that count; may be called again.
  void allreduce_figures(std::vector<SizeTimes> const& times, int ranks);
  void pieces(std::vector<SizeTimes> const& times, std::int64_t total);
  void cost_table(std::vector<model::CostPoint> const& table);
  // recorder_collectives.cpp: the same of the command `collectives`, a row for each verb and size.
  void collectives(std::vector<SizeTimes> const& rows, int ranks);
  void collective_figures(std::vector<SizeTimes> const& rows, int ranks);
  void collective_pieces(std::vector<SizeTimes> const& rows, std::int64_t total);

  /// All co-runs, with their probes.
  void calibration(std::vector<ContentionSample> const& runs);
  /// Samples that were taken after the sweep, of all rows; nothing where there are none.
  void later(OperationTimes const& layers, std::vector<SizeTimes> const& times,
             std::vector<ContentionSample> const& runs);
  /// kappa and gamma of those that count, and the fit of a(x); may be called again.
  void speeds(std::vector<ContentionSample> const& runs, std::span<const model::CostPoint> table);
  /// The states of the machine, and the state of each sample by its place in the order of its case.
  void states(SweepStates const& sweep, std::optional<std::size_t> state,
              std::vector<std::vector<Sample>> const& samples,
              std::vector<std::vector<std::int64_t>> const& order);
  /// The clocks of the ranks' GPUs at two moments: of each rank its clock in Hz, its power cap in W
  /// and its throttle reasons. Writes nothing where both are empty.
  void gpu_clocks(std::vector<double> const& before, std::vector<double> const& after);
  void uncertainty(std::vector<Uncertainty> const& cases);
  void score(model::ScoreCard const& card, model::Band best_cap);
  /// `drift`: the line that says how far they are apart; empty where they are not.
  void phases(std::vector<Phase> const& phases, std::string const& drift);

  /// Names, plans and predictions of the cases, and room for their samples.
  void plan(RankContext const& context, std::vector<CaseReport> const& reports, bool predicted, double floor);
  /// Of the cases, and the floor of E; may be called again.
  void predictions(std::vector<CaseReport> const& reports, double floor);
  void verified(std::vector<std::int64_t> const& right);
  void wire_errors(WireErrors const& errors, WireFormat wire);
  void precision_errors(PrecisionErrors const& errors);
  /// The gate's session and round, and room for `samples` values of each part of the step.
  void gate(TurnOptions const& turns, std::vector<std::string> const& parts, std::size_t samples);
  void part(std::size_t part, std::size_t index, double seconds);
  void sample(std::size_t item, int round, Sample const& sample);
  /// Makes room for so many samples of each case.
  void grow_samples(std::size_t samples) { writer_.grow_samples(samples); }
  /// Why each case has no more samples.
  void stops(std::vector<Stop> const& stops, Config const& config);
  /// Sentences about results that contradict each other.
  void contradictions(std::vector<std::string> const& sentences);
  void results(std::vector<CaseReport> const& reports, std::vector<std::vector<std::int64_t>> const& order);
  /// One step of each case: its tasks, and the buffers that were live.
  void timeline(Workload const& workload, std::vector<CaseTimeline> const& cases);
  /// Bytes of a rank for the buffers of a step: what is allocated, and the predicted peak of what is live in
  /// each case, -1 where nothing is predicted.
  void step_memory(std::size_t allocated, std::vector<std::int64_t> const& predicted_peaks);
  void figures(FigureOfMerit const& figures);
  /// Bytes: the peak of each rank, and the need of any that was predicted.
  void memory(std::vector<double> const& peaks, double need);
  void flush() { writer_.flush(); }
  void flush_if_due() { writer_.flush_if_due(); }
  /// Finishes the file, and the tables with it. As results::Writer::finish().
  void finish(std::vector<results::TextFile> const& tables) { writer_.finish(tables); }
  /// The file in memory; the reader may outlive it.
  results::Reader reader() const { return writer_.reader(); }
  std::vector<std::string> warnings() const { return writer_.warnings(); }

 private:
  results::Writer writer_;
};

}  // namespace ddproxy
