// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/predict/analysis/figure_of_merit.hpp"
#include "miniapp/predict/analysis/step_lanes.hpp"
#include "model/predict/graph/phase_seconds.hpp"
#include "model/predict/graph/whole_step_time.hpp"
#include "model/statistics/estimate.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// One sample of a whole step.
struct StepSample {
  model::PhaseSeconds phases;  ///< seconds of the phases, those of the rank whose step took longest
  double alone = 0;            ///< compute of the slowest rank in a step without communication, seconds
  /// Returns E in seconds: T of the step minus the compute without communication. It is negative if the
  /// machine was slower while `alone` was measured.
  double exposed() const { return phases.step - alone; }
};

/// The samples and the prediction of one part of the step. All numbers are in seconds. In each sample the
/// parts forward, recompute, backward, clip, update, copies and waiting add up to `step`. `exposed` is E. It
/// is not part of the sum, because it is the difference of two steps.
struct StepRow {
  std::string name;  ///< a name of step_part_names()
  std::vector<double> samples;
  /// Mean and standard deviation of the samples. The deviation is NaN for one sample.
  double mean = not_available, deviation = not_available;
  model::Estimate median{not_available, not_available, not_available};  ///< median and its 95 % interval
  double predicted = not_available;
  double uncontended = not_available;  ///< predicted without contention
  double first = not_available;        ///< time in the first step of the run; NaN for `exposed`
  /// Returns predicted / median - 1; not available if the median is not positive.
  double error() const;
};

/// The time of one kind of operator in a step without communication, in seconds. `backward` includes the
/// recompute. `step` is the time in all phases.
struct KindSeconds {
  std::string kind;  ///< a word of operation_kind_words, or clip, update, copies or matrix products
  double forward = 0, backward = 0, step = 0;
};

/// All figures of `ddproxy step`.
struct StepFigures {
  std::vector<StepRow> rows;
  std::vector<KindSeconds> kinds;
  StepLanes lanes;                    ///< of rank 0 in the last step of the run
  int ranks = 1, steps = 0;           ///< `steps`: number of steps before the loss was read
  double loss = not_available;        ///< mean loss of all ranks in step number `steps`
  std::int64_t global_batch = 0;      ///< sequences of all ranks in a step
  double host_waits = not_available;  ///< host_waits_of(); not available if the step has no HostWaits
  double tokens_per_s = not_available;
  double model_flops_per_s = not_available;  ///< model flops of one rank per second
  double measured_peak =
      not_available;                  ///< FLOP/s of large matrix products on one rank, measured in this run
  double peak_flops = not_available;  ///< peak FLOP/s of one rank, from [machine]
  bool verified = false;  ///< true: the results of a step on known numbers were right on all ranks
  results::Validity valid = results::Validity::no;

  /// Returns the row of this name. Throws std::logic_error if there is none.
  StepRow const& row(std::string const& name) const;
};

/// The predictions of a step, made before its samples are taken.
struct StepPredictions {
  model::WholeStepTime contended;  ///< with kappa and gamma, which were measured in contention runs
  model::WholeStepTime
      uncontended;  ///< without kappa and gamma: from measurements in which nothing overlapped
};

/// Returns the names of the parts of a step, in the order of the rows of StepFigures: the parts that add up
/// to `step`, then `step`, then `exposed`.
std::vector<std::string> step_part_names();

/// Returns the seconds of each part of one sample, in the order of step_part_names().
std::vector<double> step_part_seconds(StepSample const& sample);

/// Returns the sample whose step_part_seconds() are `seconds`. `alone` and `host_waits` are its other
/// members.
StepSample to_step_sample(std::vector<double> const& seconds, double alone, double host_waits);

/// Computes the rows of StepFigures. `first` is the first step of the run. `samples` has at least one sample.
std::vector<StepRow> step_rows(StepSample const& first, std::vector<StepSample> const& samples,
                               StepPredictions const& predictions);

/// Returns a warning in one line if E is below -0.5 % of the step in a sample. Otherwise returns an empty
/// text.
std::string negative_exposed(std::vector<StepSample> const& samples);

/// Returns the median over the samples of the host waits of a step, in seconds. A host wait is the time from
/// the end of a collective until the host goes on. The host waits of a step are added up. `samples` has at
/// least one sample.
double host_waits_of(std::vector<StepSample> const& samples);

/// Returns the seconds of the tasks, summed by kind of operator. `task_seconds` has the seconds of each task,
/// [task of the graph]. Tasks that neither compute nor copy, and kinds without a task, are left out. The last
/// row, "matrix products", is the sum of the rows linear and head.
std::vector<KindSeconds> kind_seconds(model::StepGraph const& graph, model::BackwardPass const& pass,
                                      std::vector<double> const& task_seconds);

/// Assigns the throughput, the global batch, the model flops and the peak flops of `figures`, which must
/// already have rows and ranks.
void add_throughput(StepFigures& figures, Config const& config);

/// Returns the numbers of the figure of merit of a step, with their names.
std::vector<std::pair<char const*, double>> numbers_of(StepFigures const& figures);

/// Returns the line "DDPROXY_STEP_FOM step_tokens_per_s=... ", without a newline.
std::string to_line(StepFigures const& figures);

}  // namespace ddproxy
