// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "miniapp/app/record/provenance.hpp"
#include "miniapp/app/record/resume_check.hpp"
#include "miniapp/input/options/options.hpp"
#include "miniapp/machine/clock_report.hpp"
#include "miniapp/measure/calibration/collect_measurements.hpp"
#include "miniapp/measure/calibration/complete_tables.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/calibration/phases.hpp"
#include "miniapp/measure/sweep/sweep.hpp"
#include "miniapp/measure/verification/precision.hpp"
#include "miniapp/measure/verification/wire_error.hpp"
#include "miniapp/predict/analysis/analysis.hpp"
#include "miniapp/predict/analysis/step_figures.hpp"
#include "miniapp/predict/analysis/stopping.hpp"
#include "miniapp/predict/analysis/sweep_states.hpp"
#include "model/step/bucket_plan.hpp"
#include "results/file/writer.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy {

/// Holds the uncertainty of the prediction of one case. `total` is the 95 % band of the predicted T. `terms`
/// holds four predictions of E: the ideal E, and E after contention, copies and jitter have been added one by
/// one. All values are in seconds. NaN means that a value is not available.
struct Uncertainty {
  model::Band total{not_available, not_available};
  model::Waterfall terms{not_available, not_available, not_available, not_available};
};

/// Writes the results of a run into its results file (docs/results.md). Only rank 0 has a Recorder.
///
/// Problem: a run may be killed at any time, and its results up to then must remain readable. results::Writer
/// therefore holds the file in memory (results/file/writer.hpp), and each flush writes a complete file. Call
/// flush() after each stage of a run (calibration, sweep and so on). Call flush_if_due() after each table of
/// a calibration round, after each round of the sweep, and after each sample of a step. Call finish() last.
/// The destructor flushes, too.
///
/// The other methods may be called in any order, except that plan() comes before sample(),
/// reserve_step_samples() before step_sample(), and gate() before part(). If a method "may be called again",
/// the second call replaces the values of the first call. All times are in seconds. Methods throw the
/// exceptions that results/file/writer.hpp lists for Writer.
///
/// Words (docs/glossary.md): a case is a row of the sweep; a round takes one sample of each case; a state is
/// a condition of the machine in which the same work takes about the same time; probes show the state before
/// and after a sample. Samples that count are the samples in the state that the tables and figures use, see
/// states(). The caller selects them.
class Recorder {
 public:
  /// Creates the unfinished results file: options.output with ".part" appended. Writes the command, the
  /// label, the text of the input, and the path and the hash of each table that the input names.
  Recorder(Options const& options, Config const& config);

  /// Writes the id of the run that this run continues, and the number of rounds of all earlier runs. Writes
  /// nothing if this run continues none.
  void resumed(EarlierRounds const& earlier);
  /// Writes /provenance.
  void provenance(Provenance const& provenance);
  /// Writes /model: the dimensions of the model, and its gradients in ready order.
  void model(Config const& config, Workload const& workload);
  /// Writes /layers: the time of each operator in all passes, and the probes of the passes. Unless the times
  /// come from the file of [compute] times, also writes the flops and bytes of the operators, and their
  /// roofline times if the workload has any. May be called again with more samples.
  void layers(Config const& config, Workload const& workload, OperationTimes const& times);
  /// Writes the ready time of each gradient. May be called again.
  void ready_times(ReadyTimes const& ready);
  /// Writes /allreduce: all samples with their probes, one row for each message size. May be called again
  /// with more samples.
  void allreduce(std::vector<SizeTimes> const& times, int ranks);
  /// Writes the attribute `call` of `group`: the MPI call that carries out the all-reduces. Writes nothing if
  /// the all-reduces do not use MPI.
  void call(std::string_view group, RankContext const& context);
  /// Writes the median, the 99th percentile and the bandwidths of each message size. `times` holds the
  /// samples that count. May be called again.
  void allreduce_figures(std::vector<SizeTimes> const& times, int ranks);
  /// Writes the times in which `total` bytes were reduced in pieces, one row for each piece size.
  void pieces(std::vector<SizeTimes> const& times, std::int64_t total);
  /// Writes the table of a(x) that predictions use. x is in bytes on the wire. May be called again.
  void cost_table(std::vector<model::CostPoint> const& table);
  /// Writes /collectives: all samples with their probes, one row for each kind of collective and each size.
  /// This method and the next three are in recorder_collectives.cpp.
  void collectives(std::vector<SizeTimes> const& rows, Grouping groups);
  /// Does the same for rows of groups of different sizes. groups[i] is the group of rows[i].
  void collectives(std::vector<SizeTimes> const& rows, std::vector<Grouping> const& groups);
  /// Writes the median, the extremes and the bandwidths of each row. `rows` holds the samples that count. May
  /// be called again.
  void collective_figures(std::vector<SizeTimes> const& rows, int ranks);
  /// Writes the times in which `total` bytes were moved in pieces, one row for each kind of collective
  /// and each piece size.
  void collective_pieces(std::vector<SizeTimes> const& rows, std::int64_t total, Grouping groups);

  /// Writes the samples of all contention runs, with their probes. A contention run measures compute and a
  /// collective alone and at the same time. Writes nothing if there are none. May be called again with more
  /// samples.
  void calibration(std::vector<ContentionSample> const& runs);
  /// Writes the samples of the handover (handover.hpp). Writes nothing if there are none. May be called again
  /// with more samples.
  void handovers(SizeTimes const& times);
  /// Writes `seconds`, the time of the handover that the prediction uses. Writes nothing if handovers() wrote
  /// no samples. May be called again.
  void handover(double seconds);
  /// Writes the samples of /layers, /allreduce and /calibration that were taken after the sweep. Writes
  /// nothing for a table without such samples.
  void later(Tables const& tables);
  /// The next three methods return the samples that layers(), allreduce() and calibration() wrote, followed
  /// by those of later(), with their probes. They return empty tables if nothing was written. They leave
  /// OperationTimes::last_pass, ContentionSample::repetitions and ContentionSample::call_seconds at their
  /// defaults. They are in recorder_calibration.cpp.
  OperationTimes passes() const;
  std::vector<SizeTimes> sizes() const;
  std::vector<ContentionSample> runs() const;
  /// Returns the samples that handovers() wrote, with their probes, without SizeTimes::bytes.
  SizeTimes handovers() const;
  /// Writes kappa and gamma of each contention run, and the fit alpha + x / beta of a(x) with its mean and
  /// largest relative errors. `runs` holds the samples that count, and `table` is a(x). alpha is in seconds,
  /// beta in bytes/s. May be called again.
  void speeds(std::vector<ContentionSample> const& runs, std::span<const model::CostPoint> table);
  /// Writes the states of the machine and the state of each sample. Tables and figures use the samples in
  /// `state` only; if it is empty, they use all samples.
  void states(SweepStates const& sweep, std::optional<std::size_t> state);
  /// Writes the clocks of the ranks' GPUs at two moments, and the time in which they were throttled. Writes
  /// nothing if a list is empty or if their lengths differ.
  void gpu_clocks(ClocksOfRanks const& before, ClocksOfRanks const& after);
  /// Writes the band of T and the four predictions of E of each case. May be called again.
  void uncertainty(std::vector<Uncertainty> const& cases);
  /// Writes the score of each predictor, the measured and the predicted best cap, and `best_cap`, the 95 %
  /// interval of the best cap. Caps are in bytes.
  void score(model::ScoreCard const& card, model::Band best_cap);
  /// Writes T_compute and the time of one all-reduce in each phase of the run. If T_compute differs between
  /// the calibration and the sweep, `drift` is the warning about it; otherwise it is empty.
  void phases(std::vector<Phase> const& phases, std::string const& drift);

  /// Writes the settings of the sweep, and the names and plans of the cases. If `predicted` is true, also
  /// writes their predictions. Reserves space for rounds_to_take() samples of each case. `floor` is the lower
  /// bound on E.
  void plan(RankContext const& context, std::vector<CaseReport> const& reports, bool predicted, double floor);
  /// Writes the predictions of the cases and the lower bound on E, `floor`. May be called again.
  void predictions(std::vector<CaseReport> const& reports, double floor);
  /// Writes for each case 1 if its reduced gradients were right, else 0.
  void verified(std::vector<std::int64_t> const& right);
  /// Writes /wire: the errors of real gradients that were reduced in the wire format.
  void wire_errors(WireErrors const& errors, WireFormat wire);
  /// Writes /precision: the errors of real gradients at the precision of the input.
  void precision_errors(PrecisionErrors const& errors);
  /// If scripts/gate started the run, writes the name of the gate's session and the number of the gate's
  /// round. `parts` are the names of what `[gate]` measures besides the cases, for instance "compute/linear".
  /// If there are any, writes the names and reserves space for `samples` values of each.
  void gate(TurnOptions const& turns, std::vector<std::string> const& parts, std::size_t samples);
  /// Writes one value of a part. `part` is the index of the part in the list that gate() received. `index` is
  /// the index of the value. Both count from 0.
  void part(std::size_t part, std::size_t index, double seconds);
  /// Writes one sample. `item` is the index of the case, `round` the number of the round, and `position` the
  /// number of the sample among all samples of the sweep. All three count from 0. The file then has the only
  /// copy of the sample. This method and the next one are in recorder_samples.cpp.
  void sample(std::size_t item, int round, int position, Sample const& sample);
  /// Returns the samples that sample() wrote, [case][sample], in the order of the rounds. If the file has no
  /// times of the single buckets of a sample, `buckets_alone` has one element, the sum of these times.
  /// Returns an empty list before plan().
  std::vector<std::vector<Sample>> samples() const;
  /// Writes the time of all complete rounds, those of earlier runs included, in seconds. May be called again.
  void rounds_seconds(double seconds) { writer_.attribute("/sweep", "seconds", seconds); }
  /// Reserves space for `samples` samples of each case. `samples` must not be smaller than before.
  void grow_samples(std::size_t samples) { writer_.grow_samples(samples); }
  /// Writes for each case why sampling stopped, and the limits of `config` that stop it.
  void stops(std::vector<Stop> const& stops, Config const& config);
  /// Writes sentences about results that contradict each other. Writes nothing if there are none.
  void contradictions(std::vector<std::string> const& sentences);
  /// Writes the measured results of the cases. A case that was not measured has NaN, or -1 as its slowest
  /// rank.
  void results(std::vector<CaseReport> const& reports);
  /// Writes /plans: the buckets of each case, [case]. This method and the next two are in
  /// recorder_timeline.cpp.
  void plans(std::vector<model::Plan> const& plans);
  /// Writes the timeline of one step of each case: its tasks, and the bytes of the live buffers. A file of
  /// `ddproxy step` has one case.
  void timeline(Workload const& workload, std::vector<CaseTimeline> const& cases);
  /// Writes the bytes that a rank allocates for the buffers of a step, and the predicted peak of live buffers
  /// in bytes, [case]. The peak is -1 if nothing is predicted.
  void step_memory(std::size_t allocated, std::vector<std::int64_t> const& predicted_peaks);
  /// Writes the settings of the steps of `ddproxy step` as attributes of /step. `cap_mib` is the cap of the
  /// buckets in MiB. This method, the next five and step() are in recorder_step.cpp.
  void step_settings(Config const& config, double cap_mib, int ranks);
  /// Writes 1 if the verification found the step right, else 0.
  void step_verified(bool right);
  /// Writes the seconds of each kind of operator in a step without communication.
  void step_kinds(std::vector<KindSeconds> const& kinds);
  /// Writes the busy time of each lane, and the bubble.
  void step_lanes(StepLanes const& lanes);
  /// Writes the names of the parts of a step, and reserves space for `samples` samples of each.
  void reserve_step_samples(std::size_t samples);
  /// Writes one sample of a whole step. `index` is the number of the sample, from 0. Call
  /// reserve_step_samples() before. The file then has the only copy of the sample.
  void step_sample(std::size_t index, StepSample const& sample);
  /// Returns the samples that step_sample() wrote. Returns an empty list before reserve_step_samples(). This
  /// method is in recorder_samples.cpp.
  std::vector<StepSample> step_samples() const;
  /// Writes the statistics of all samples of whole steps, the predictions, and the figure of merit. Does not
  /// write the samples, because step_sample() has written them.
  void step(StepFigures const& figures);
  /// Writes the figure of merit to /fom.
  void figures(FigureOfMerit const& figures);
  /// Writes the peak memory of each rank and the predicted memory need of a rank, both in bytes.
  void memory(std::vector<double> const& peaks, double need);
  /// Writes the host memory, in bytes, that a rank needs to measure the errors of precision_errors().
  void precision_memory(double bytes);
  /// The next two methods write the file to the disk, see results::Writer::flush() and flush_if_due().
  void flush() { writer_.flush(); }
  void flush_if_due() { writer_.flush_if_due(); }
  /// Finishes the file and writes the tables beside it, see results::Writer::finish().
  void finish(std::vector<results::TextFile> const& tables) { writer_.finish(tables); }
  /// Returns a reader of the file in memory. It may outlive this object.
  results::Reader reader() const { return writer_.reader(); }
  /// Returns the writer's warnings for the user.
  std::vector<std::string> warnings() const { return writer_.warnings(); }

 private:
  void reserve_samples(RankContext const& context, std::size_t cases);
  std::size_t buckets_of(std::size_t item) const { return first_bucket_[item + 1] - first_bucket_[item]; }

  results::Writer writer_;
  // [case] index in /plans of the first bucket of the case. The last element is the number of all buckets.
  std::vector<std::size_t> first_bucket_;
};

}  // namespace ddproxy
