// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/schema.hpp"

#include <algorithm>

namespace ddproxy::results {
namespace {

using enum Type;

// clang-format off
constexpr auto datasets = std::to_array<Dataset>({
    {"/provenance/command_line", text, {}, "1", "command line of rank 0"},
    {"/provenance/input", text, {}, "1", "text of the input file"},
    {"/provenance/environment", text, {"variable"}, "1", "environment variables that matter, as NAME=value"},
    {"/provenance/host", text, {"rank"}, "1", "host name"},
    {"/provenance/device", text, {"rank"}, "1", "device name"},
    {"/provenance/uuid", text, {"rank"}, "1", "device UUID, empty for a host"},
    {"/provenance/pci_bus", text, {"rank"}, "1", "PCI address of the device, empty for a host"},
    {"/provenance/numa_node", integer, {"rank"}, "1", "NUMA node of the processor that the rank started on", true},
    {"/provenance/device_numa_node", integer, {"rank"}, "1", "NUMA node of the device's slot", true},
    {"/provenance/binding", text, {"rank"}, "1", "processors that the rank may use, for instance 0-15,32-47"},
    {"/provenance/rank_threads", integer, {"rank"}, "1", "threads with which the rank computes; absent with a device"},
    {"/provenance/own_cores", integer, {"rank"}, "1", "cores that the rank has to itself when those of its node are divided; absent with a device"},
    {"/provenance/clock", real, {"rank"}, "Hz", "clock frequency of the processor at the start, the highest of an accelerator"},
    {"/provenance/memory_clock", real, {"rank"}, "Hz", "highest clock frequency of the device's memory, NaN for a host"},
    {"/provenance/peak_memory", integer, {"rank"}, "byte", "largest resident memory of the rank; on a device what it took of the device's", true},
    {"/provenance/memory_need", integer, {"rank"}, "byte", "memory that was predicted for it; on a device of the device's, without its libraries' own"},

    {"/model/name", text, {"gradient"}, "1", "name of the parameter tensor, in ready order"},
    {"/model/layer", text, {"gradient"}, "1", "layer that it belongs to"},
    {"/model/numel", integer, {"gradient"}, "1", "number of elements"},
    {"/model/operation", integer, {"gradient"}, "1", "index of the operation that completes it"},

    {"/layers/operation", text, {"operation"}, "1", "name of the operation, in the order in which they run"},
    {"/layers/operation_layer", text, {"operation"}, "1", "layer that the operation belongs to"},
    {"/layers/seconds", real, {"rank", "operation", "sample"}, "s", "time of the operation, all ranks at once"},
    {"/layers/probe_before", real, {"sample"}, "s", "as /allreduce/probe_before"},
    {"/layers/probe_after", real, {"sample"}, "s", "as /allreduce/probe_after"},
    {"/layers/later_seconds", real, {"rank", "operation", "later_sample"}, "s", "as seconds: passes after the sweep, where it ran in a state that had no table"},
    {"/layers/later_probe_before", real, {"later_sample"}, "s", "as probe_before, of those passes"},
    {"/layers/later_probe_after", real, {"later_sample"}, "s", "as probe_after, of those passes"},
    {"/layers/ready", real, {"gradient"}, "s", "ready time: from the start of the backward pass to the end of its operation"},
    {"/layers/flops", real, {"operation"}, "1", "floating-point operations of the operation"},
    {"/layers/bytes", real, {"operation"}, "byte", "memory read and written by the operation, each operand once"},
    {"/layers/modelled", real, {"operation"}, "s", "time of the operation from the roofline"},

    {"/allreduce/bytes", integer, {"size"}, "byte", "message size, bytes on the wire"},
    {"/allreduce/seconds", real, {"size", "sample"}, "s", "time of one all-reduce alone, maximum over ranks"},
    {"/allreduce/median", real, {"size"}, "s", "median time of one all-reduce"},
    {"/allreduce/p99", real, {"size"}, "s", "99th percentile of the time of one all-reduce"},
    {"/allreduce/algbw", real, {"size"}, "GB/s", "bytes on the wire over median time, 1 GB = 1e9 bytes"},
    {"/allreduce/busbw", real, {"size"}, "GB/s", "algbw 2(n-1)/n over n ranks"},
    {"/allreduce/wrong_elements", integer, {"size"}, "1", "elements whose sum was wrong, over all ranks", true},
    {"/allreduce/probe_before", real, {"size", "sample"}, "s", "round trip of a cache line between cores before the sample, the slowest pair of neighbouring ranks; absent without a probe"},
    {"/allreduce/probe_after", real, {"size", "sample"}, "s", "the same after the sample"},
    {"/allreduce/later_seconds", real, {"size", "later_sample"}, "s", "as seconds: samples after the sweep, where it ran in a state that had no table"},
    {"/allreduce/later_probe_before", real, {"size", "later_sample"}, "s", "as probe_before, of those samples"},
    {"/allreduce/later_probe_after", real, {"size", "later_sample"}, "s", "as probe_after, of those samples"},
    {"/allreduce/table_bytes", integer, {"point"}, "byte", "a(x) that the prediction used: message size, bytes on the wire"},
    {"/allreduce/table_seconds", real, {"point"}, "s", "a(x) that the prediction used: time"},
    {"/allreduce/piece_bytes", integer, {"piece"}, "byte", "piece in which a fixed total was reduced"},
    {"/allreduce/piece_seconds", real, {"piece", "piece_sample"}, "s", "time of the fixed total in such pieces, maximum over ranks"},

    {"/collectives/verb", text, {"row"}, "1", "all_reduce, reduce_scatter, all_gather or broadcast"},
    {"/collectives/ranks", integer, {"row"}, "1", "ranks of the group; of a twin, the number it stands for"},
    {"/collectives/bytes", integer, {"row"}, "byte", "full size x of the collective, bytes on the wire"},
    {"/collectives/seconds", real, {"row", "sample"}, "s", "time of one collective alone, maximum over ranks"},
    {"/collectives/median", real, {"row"}, "s", "median time of one collective"},
    {"/collectives/min", real, {"row"}, "s", "least time of one collective"},
    {"/collectives/max", real, {"row"}, "s", "largest time of one collective"},
    {"/collectives/algbw", real, {"row"}, "GB/s", "bytes over median time, 1 GB = 1e9 bytes"},
    {"/collectives/busbw", real, {"row"}, "GB/s", "algbw 2(n-1)/n of an all-reduce, (n-1)/n of a reduce-scatter and an all-gather, 1 of a broadcast, over n ranks"},
    {"/collectives/wrong_elements", integer, {"row"}, "1", "elements that were wrong, over all ranks", true},
    {"/collectives/probe_before", real, {"row", "sample"}, "s", "as /allreduce/probe_before"},
    {"/collectives/probe_after", real, {"row", "sample"}, "s", "as /allreduce/probe_after"},
    {"/collectives/piece_verb", text, {"piece"}, "1", "collective that moved a fixed total in pieces"},
    {"/collectives/piece_bytes", integer, {"piece"}, "byte", "piece in which the fixed total was moved"},
    {"/collectives/piece_seconds", real, {"piece", "piece_sample"}, "s", "time of the fixed total in such pieces, maximum over ranks"},

    {"/calibration/bytes", integer, {"message"}, "byte", "gradients that the collective beside the compute reduces"},
    {"/calibration/calls", integer, {"message"}, "1", "collectives of a sample, one after another"},
    {"/calibration/kappa", real, {"message"}, "1", "speed of compute while a collective is in flight"},
    {"/calibration/gamma", real, {"message"}, "1", "speed of the collective while compute runs: a(x) over the time of a call beside compute"},
    {"/calibration/compute_alone", real, {"message", "sample"}, "s", "time of the compute alone"},
    {"/calibration/compute_beside", real, {"message", "sample"}, "s", "time of the compute beside all-reduces"},
    {"/calibration/collective_alone", real, {"message", "sample"}, "s", "time of the collectives alone"},
    {"/calibration/collective_beside", real, {"message", "sample"}, "s", "time of the collectives beside compute"},
    {"/calibration/probe_before", real, {"message", "sample"}, "s", "as /allreduce/probe_before"},
    {"/calibration/probe_after", real, {"message", "sample"}, "s", "as /allreduce/probe_after"},
    {"/calibration/later_compute_alone", real, {"message", "later_sample"}, "s", "as compute_alone, of samples after the sweep"},
    {"/calibration/later_compute_beside", real, {"message", "later_sample"}, "s", "as compute_beside, of samples after the sweep"},
    {"/calibration/later_collective_alone", real, {"message", "later_sample"}, "s", "as collective_alone, of samples after the sweep"},
    {"/calibration/later_collective_beside", real, {"message", "later_sample"}, "s", "as collective_beside, of samples after the sweep"},
    {"/calibration/later_probe_before", real, {"message", "later_sample"}, "s", "as probe_before, of samples after the sweep"},
    {"/calibration/later_probe_after", real, {"message", "later_sample"}, "s", "as probe_after, of samples after the sweep"},
    {"/calibration/alpha", real, {}, "s", "fit of a(x) = alpha + x / beta: time a call"},
    {"/calibration/beta", real, {}, "byte/s", "fit of a(x) = alpha + x / beta: bandwidth, bytes on the wire"},
    {"/calibration/fit_error_mean", real, {}, "1", "relative error of that fit over the table's sizes, mean"},
    {"/calibration/fit_error_max", real, {}, "1", "relative error of that fit over the table's sizes, largest"},

    {"/sweep/name", text, {"case"}, "1", "name of the case, for instance bucketed/25"},
    {"/sweep/strategy", text, {"case"}, "1", "naive, flat, per_tensor, bucketed or optimal"},
    {"/sweep/source", text, {"case"}, "1", "program that ran the case: ddproxy or pytorch"},
    {"/sweep/compute_source", text, {"case"}, "1", "T_compute: own (beside each sample) or round (one a round, shared by its cases)"},
    {"/sweep/bucket_bytes", integer, {"case"}, "byte", "bucket cap", true},
    {"/sweep/first_bucket_bytes", integer, {"case"}, "byte", "cap of the first bucket", true},
    {"/sweep/buckets", integer, {"case"}, "1", "number of buckets"},
    {"/sweep/verified", integer, {"case"}, "1", "1: the reduced gradients were right (of a replayed all-reduce: each bucket began in its turn and not too early), 0: they were wrong", true},
    {"/sweep/order", integer, {"case", "sample"}, "1", "position in which the sample ran among all samples", true},
    {"/sweep/probe_before", real, {"case", "sample"}, "s", "as /allreduce/probe_before"},
    {"/sweep/probe_after", real, {"case", "sample"}, "s", "as /allreduce/probe_after"},
    {"/sweep/compute_probe_before", real, {"case", "sample"}, "s", "the same before T_compute of the sample"},
    {"/sweep/compute_probe_after", real, {"case", "sample"}, "s", "the same after T_compute of the sample"},
    {"/sweep/state", integer, {"case", "sample"}, "1", "state of the machine, as in /states; none where the probes of T and T_compute differ in state or are unknown", true},
    {"/sweep/counted", integer, {"case", "sample"}, "1", "1: the figures of the case count the sample, 0: it was left out, as of another state", true},
    {"/sweep/measured", real, {"case", "sample", "rank"}, "s", "T: until backward is over and every bucket is reduced"},
    {"/sweep/compute", real, {"case", "sample", "rank"}, "s", "T_compute: backward pass with no communication"},
    {"/sweep/backward_end", real, {"case", "sample", "rank"}, "s", "end of the backward pass with communication"},
    {"/sweep/arrival", real, {"case", "sample", "rank"}, "s", "time by which the rank came to the starting barrier after the first one"},
    {"/sweep/comm_alone", real, {"case", "sample"}, "s", "T_comm of the case's buckets alone, measured right after the sample, maximum over ranks"},
    {"/sweep/stopped_by", text, {"case"}, "1", "why the case has no more samples: samples, target or budget"},
    {"/sweep/contradictions", text, {"contradiction"}, "1", "sentence about results that contradict each other"},
    {"/sweep/same_round", real, {"case"}, "s", "T as the same model predicts it from T_compute and comm_alone of each sample's own round, median"},
    {"/sweep/same_round_exposed", real, {"case"}, "s", "E as the same model predicts it from T_compute and comm_alone of each sample's own round, median"},
    {"/sweep/measured_median", real, {"case"}, "s", "median over samples of T, maximum over ranks"},
    {"/sweep/ci_low", real, {"case"}, "s", "lower end of the 95 % interval of the median T; of fewer than six samples, Student's of the mean"},
    {"/sweep/ci_high", real, {"case"}, "s", "upper end of the 95 % interval of the median T; of fewer than six samples, Student's of the mean"},
    {"/sweep/predicted", real, {"case"}, "s", "predicted T"},
    {"/sweep/predicted_low", real, {"case"}, "s", "lower end of the 95 % band of the predicted T"},
    {"/sweep/predicted_high", real, {"case"}, "s", "upper end of the 95 % band of the predicted T"},
    {"/sweep/predicted_exposed", real, {"case"}, "s", "predicted E"},
    {"/sweep/predicted_tail", real, {"case"}, "s", "predicted tail"},
    {"/sweep/predicted_slowdown", real, {"case"}, "s", "predicted slowdown"},
    {"/sweep/ideal", real, {"case"}, "s", "predicted E of the plain recurrence: no contention, no copies, no jitter"},
    {"/sweep/floor", real, {}, "s", "what no plan's E is below: the last gradient's a(x), less what compute does behind it"},
    {"/sweep/uncontended", real, {"case"}, "s", "predicted E without contention: a baseline"},
    {"/sweep/with_contention", real, {"case"}, "s", "the same with kappa and gamma"},
    {"/sweep/with_copies", real, {"case"}, "s", "the same with copies too"},
    {"/sweep/with_jitter", real, {"case"}, "s", "the same with the latest rank of each gradient too: the prediction of an overlapped case"},
    {"/sweep/comm", real, {"case"}, "s", "T_comm: the sum of a(x) over the buckets"},
    {"/sweep/exposed", real, {"case"}, "s", "E = T - T_compute, median of the paired differences"},
    {"/sweep/exposed_low", real, {"case"}, "s", "lower end of the 95 % interval of the median E; of fewer than six samples, Student's of the mean"},
    {"/sweep/exposed_high", real, {"case"}, "s", "upper end of the 95 % interval of the median E; of fewer than six samples, Student's of the mean"},
    {"/sweep/slowdown", real, {"case"}, "s", "end of the backward pass with communication - T_compute"},
    {"/sweep/tail", real, {"case"}, "s", "T - end of the backward pass with communication"},
    {"/sweep/overlap", real, {"case"}, "1", "(T_compute + T_comm - T) / min(T_compute, T_comm)"},
    {"/sweep/overlap_low", real, {"case"}, "1", "lower end of the 95 % interval of the overlap"},
    {"/sweep/overlap_high", real, {"case"}, "1", "upper end of the 95 % interval of the overlap"},
    {"/sweep/skew", real, {"case"}, "s", "median over samples of the spread between the ranks' ends of the backward pass"},
    {"/sweep/slowest_rank", integer, {"case"}, "1", "rank whose backward pass ended last in most samples", true},

    {"/states/round_trip", real, {"state"}, "s", "states of the machine: median round trip of a cache line between cores, rising; on GPUs the number of a clock state"},
    {"/states/name", text, {"state"}, "1", "name of the state, for instance 55 ns, or clock 20 % below its maximum, throttled"},
    {"/states/sm_clock", real, {"rank", "moment"}, "Hz", "clock of the multiprocessors of the rank's GPU, before the calibration and after the sweep"},
    {"/states/power_cap", real, {"rank", "moment"}, "W", "power cap that the driver enforces then, 0: not known"},
    {"/states/throttle_reasons", integer, {"rank", "moment"}, "1", "why the clock is below its maximum then, bits of nvmlClocksThrottleReasons"},
    {"/states/samples", integer, {"state"}, "1", "samples of the sweep in that state"},
    {"/states/scored", integer, {}, "1", "the state that tables, predictions and figures are of; none: all samples count", true},
    {"/states/dropped", integer, {}, "1", "samples of the sweep during which the machine changed its state"},

    {"/gate/name", text, {"part"}, "1", "part of a step that was timed besides the cases, for instance compute/linear or allreduce/64KiB"},
    {"/gate/seconds", real, {"part", "part_sample"}, "s", "time of the part, maximum over ranks; of a row of equal calls, time of one"},

    {"/wire/rms_error", real, {"gradient"}, "1", "error of the reduced gradient of a real pass over its average in fp32, Euclidean norms"},
    {"/wire/max_error", real, {"gradient"}, "1", "largest error of an element of it over the mean of its |gradient| on the ranks"},

    {"/precision/rms_error", real, {"gradient"}, "1", "error of the gradient of a real pass at the input's precision over that in fp32, Euclidean norms, maximum over the ranks"},

    {"/phases/name", text, {"phase"}, "1", "when the same work was timed: a round of the calibration, for instance round 1, or the sweep"},
    {"/phases/compute", real, {"phase"}, "s", "median T_compute of that phase, maximum over ranks"},
    {"/phases/compute_low", real, {"phase"}, "s", "lower end of the 95 % interval of that median"},
    {"/phases/compute_high", real, {"phase"}, "s", "upper end of the 95 % interval of that median"},
    {"/phases/allreduce", real, {"phase"}, "s", "median time of one all-reduce of 4 MiB, or of all gradients where they are less, alone"},

    {"/plans/first", integer, {"case"}, "1", "index of the case's first bucket in last_gradient and bytes"},
    {"/plans/count", integer, {"case"}, "1", "number of buckets of the case"},
    {"/plans/last_gradient", integer, {"bucket"}, "1", "index of the gradient that makes the bucket ready"},
    {"/plans/bytes", integer, {"bucket"}, "byte", "gradients of the bucket"},

    {"/timeline/first", integer, {"case"}, "1", "index of the case's first event"},
    {"/timeline/count", integer, {"case"}, "1", "number of events of the case"},
    {"/timeline/start", real, {"event"}, "s", "start, from the start of the backward pass"},
    {"/timeline/end", real, {"event"}, "s", "end, from the start of the backward pass"},
    {"/timeline/resource", text, {"event"}, "1", "compute or communication"},
    {"/timeline/label", text, {"event"}, "1", "operation or bucket"},
    {"/timeline/event_rank", integer, {"event"}, "1", "rank on which it happened"},
    {"/timeline/live_bytes_start", integer, {"event"}, "byte", "live buffers of the rank's step when the event has started, with those that it uses"},
    {"/timeline/live_bytes_end", integer, {"event"}, "byte", "live buffers of the rank's step when the event has ended"},

    {"/memory/live_at_start", integer, {"case"}, "byte", "live buffers of rank 0 when the case's last sample starts, -1 without a sample", true},
    {"/memory/live_peak", integer, {"case"}, "byte", "the most that live buffers of rank 0 take in the case's last sample, -1 without a sample", true},
    {"/memory/predicted_peak", integer, {"case"}, "byte", "the same in the predicted step, -1 without a prediction", true},
    {"/memory/allocated", integer, {}, "byte", "memory that each rank allocates for the buffers of a step; 0 where compute and all-reduces are replayed"},

    {"/score/predictor", text, {"predictor"}, "1", "model, constant, pytorch_default or uncontended"},
    {"/score/mean_error", real, {"predictor"}, "1", "mean over cases of |difference of E| / max(E, 0.5 % of T); NaN where E is not known well enough"},
    {"/score/max_error", real, {"predictor"}, "1", "maximum over cases of |difference of E| / max(E, 0.5 % of T)"},
    {"/score/beyond_noise", real, {"predictor"}, "1", "mean over cases of what is left of |difference of E| after the noise of E / max(E, 0.5 % of T)"},
    {"/score/pairs_in_order", real, {"predictor"}, "1", "share of the pairs that differ by more than twice the noise in the right order"},
    {"/score/regret", real, {"predictor"}, "1", "T at the predicted best cap over the least T, - 1; NaN with fewer than three caps"},
    {"/score/tail_error", real, {"predictor"}, "1", "mean over cases of |difference of tail| / max(E, 0.5 % of T)"},
    {"/score/slowdown_error", real, {"predictor"}, "1", "mean over cases of |difference of slowdown| / max(E, 0.5 % of T)"},
    {"/score/b_star_measured", integer, {}, "byte", "swept cap with the least measured T"},
    {"/score/b_star_predicted", integer, {}, "byte", "swept cap with the least predicted T"},
    {"/score/b_star_low", integer, {}, "byte", "95 % interval of the best cap: the lowest of the best plateaus"},
    {"/score/b_star_high", integer, {}, "byte", "95 % interval of the best cap: the highest, -1: no upper end"},
});
// clang-format on

}  // namespace

std::size_t Dataset::rank() const {
  return static_cast<std::size_t>(std::ranges::count_if(dimensions, [](auto d) { return !d.empty(); }));
}

std::span<const Dataset> schema() {
  return datasets;
}

Dataset const* find_dataset(std::string_view path) {
  const auto found = std::ranges::find(datasets, path, &Dataset::path);
  return found == datasets.end() ? nullptr : &*found;
}

std::string_view name_of(Type type) {
  return type == real ? "real" : type == integer ? "integer" : "text";
}

}  // namespace ddproxy::results
