// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/schema.hpp"

#include <algorithm>
#include <stdexcept>

namespace ddproxy::results {
namespace {

using enum Type;

// clang-format off
constexpr auto datasets = std::to_array<Dataset>({
    {"/provenance/command_line", text, {}, "1", "command line of rank 0"},
    {"/provenance/input", text, {}, "1", "text of the input file"},
    {"/provenance/table_file", text, {"table"}, "1", "path of each CSV table that the input names; absent if it names none"},
    {"/provenance/table_hash", text, {"table"}, "1", "hash of the content of the table; only hashes of one build can be compared"},
    {"/provenance/environment", text, {"variable"}, "1", "environment variables that influence the run, as NAME=value"},
    {"/provenance/host", text, {"rank"}, "1", "host name of the rank"},
    {"/provenance/device", text, {"rank"}, "1", "name of the rank's device"},
    {"/provenance/uuid", text, {"rank"}, "1", "UUID of the rank's device, empty for a host"},
    {"/provenance/pci_bus", text, {"rank"}, "1", "PCI address of the rank's device, empty for a host"},
    {"/provenance/numa_node", integer, {"rank"}, "1", "NUMA node of the processor that the rank started on", true},
    {"/provenance/device_numa_node", integer, {"rank"}, "1", "NUMA node of the slot of the rank's device", true},
    {"/provenance/visible_devices", text, {"rank"}, "1", "value of CUDA_VISIBLE_DEVICES of the rank, or of its counterpart for AMD; absent on a host"},
    {"/provenance/device_count", integer, {"rank"}, "1", "number of devices that the rank sees; absent on a host"},
    {"/provenance/peers", text, {"rank"}, "1", "numbers of the visible devices that the rank's device can access directly; absent on a host"},
    {"/provenance/binding", text, {"rank"}, "1", "processors that the rank may use, for instance 0-15,32-47"},
    {"/provenance/rank_threads", integer, {"rank"}, "1", "threads with which the rank computes; absent with a device"},
    {"/provenance/own_cores", integer, {"rank"}, "1", "number of cores for this rank alone: the cores of the node, at most as many as the CPU quota allows, are divided among the ranks of the node; absent with a device"},
    {"/provenance/clock", real, {"rank"}, "Hz", "clock frequency of the processor at the start; of an accelerator, its highest clock frequency"},
    {"/provenance/memory_clock", real, {"rank"}, "Hz", "highest clock frequency of the device's memory, NaN for a host"},
    {"/provenance/peak_memory", integer, {"rank"}, "byte", "largest resident memory of the rank; with a device, the device memory that the rank took", true},
    {"/provenance/context_memory", real, {"rank"}, "byte", "device memory in use before the run allocates device memory: that of the context of the rank and of other programs; NaN if several ranks share the device, absent on a host"},
    {"/provenance/blas_memory", real, {"rank"}, "byte", "device memory that the first matrix product takes: handle, workspace, kernels; NaN if it was not measured, absent on a host"},
    {"/provenance/nccl_memory", real, {"rank"}, "byte", "device memory that the communicator of NCCL and its first all-reduce take; with wire bf16 the message in bf16 is included; NaN if it was not measured, absent on a host"},
    {"/provenance/memory_need", integer, {"rank"}, "byte", "predicted memory of the rank; with a device, predicted device memory, with estimates for BLAS and NCCL"},
    {"/provenance/precision_memory", integer, {}, "byte", "predicted host memory for comparing gradients with those of fp32 products; only with a device and a [compute] precision other than fp32"},

    {"/model/name", text, {"gradient"}, "1", "name of the parameter tensor, in ready order"},
    {"/model/layer", text, {"gradient"}, "1", "layer that the gradient belongs to"},
    {"/model/numel", integer, {"gradient"}, "1", "number of elements of the gradient"},
    {"/model/operation", integer, {"gradient"}, "1", "index of the operation that completes the gradient"},

    {"/layers/operation", text, {"operation"}, "1", "name of the operation, in the order in which the operations run"},
    {"/layers/operation_layer", text, {"operation"}, "1", "layer that the operation belongs to"},
    {"/layers/seconds", real, {"rank", "operation", "sample"}, "s", "time of the operation, while all ranks compute"},
    {"/layers/probe_before", real, {"sample"}, "s", "round trip of a cache line between cores before the sample, of the slowest pair of neighbouring ranks"},
    {"/layers/probe_after", real, {"sample"}, "s", "round trip of a cache line between cores after the sample, of the slowest pair of neighbouring ranks"},
    {"/layers/later_seconds", real, {"rank", "operation", "later_sample"}, "s", "time of the operation in passes after the sweep, which are measured if the sweep ran in a machine state without a table"},
    {"/layers/later_probe_before", real, {"later_sample"}, "s", "round trip of a cache line between cores before a pass after the sweep, of the slowest pair of neighbouring ranks"},
    {"/layers/later_probe_after", real, {"later_sample"}, "s", "round trip of a cache line between cores after a pass after the sweep, of the slowest pair of neighbouring ranks"},
    {"/layers/ready", real, {"gradient"}, "s", "ready time of the gradient: from the start of the backward pass to the end of the operation that completes it"},
    {"/layers/flops", real, {"operation"}, "1", "floating-point operations of the operation"},
    {"/layers/bytes", real, {"operation"}, "byte", "memory read and written by the operation, each operand once"},
    {"/layers/modelled", real, {"operation"}, "s", "time of the operation according to the roofline of [machine]"},

    {"/allreduce/bytes", integer, {"size"}, "byte", "message size, bytes on the wire"},
    {"/allreduce/seconds", real, {"size", "sample"}, "s", "time of one all-reduce alone, maximum over ranks"},
    {"/allreduce/median", real, {"size"}, "s", "median time of one all-reduce"},
    {"/allreduce/p99", real, {"size"}, "s", "99th percentile of the time of one all-reduce"},
    {"/allreduce/algbw", real, {"size"}, "GB/s", "algorithm bandwidth: bytes on the wire over median time, 1 GB = 1e9 bytes"},
    {"/allreduce/busbw", real, {"size"}, "GB/s", "bus bandwidth: algbw x 2(n-1)/n for n ranks"},
    {"/allreduce/wrong_elements", integer, {"size"}, "1", "elements whose sum was wrong, over all ranks", true},
    {"/allreduce/probe_before", real, {"size", "sample"}, "s", "round trip of a cache line between cores before the sample, of the slowest pair of neighbouring ranks; absent without a probe"},
    {"/allreduce/probe_after", real, {"size", "sample"}, "s", "round trip of a cache line between cores after the sample, of the slowest pair of neighbouring ranks; absent without a probe"},
    {"/allreduce/later_seconds", real, {"size", "later_sample"}, "s", "time of one all-reduce alone in samples after the sweep, which are measured if the sweep ran in a machine state without a table"},
    {"/allreduce/later_probe_before", real, {"size", "later_sample"}, "s", "round trip of a cache line between cores before a sample after the sweep, of the slowest pair of neighbouring ranks"},
    {"/allreduce/later_probe_after", real, {"size", "later_sample"}, "s", "round trip of a cache line between cores after a sample after the sweep, of the slowest pair of neighbouring ranks"},
    {"/allreduce/table_bytes", integer, {"point"}, "byte", "message size of each point of the a(x) that the prediction used, bytes on the wire"},
    {"/allreduce/table_seconds", real, {"point"}, "s", "time of each point of the a(x) that the prediction used"},
    {"/allreduce/piece_bytes", integer, {"piece"}, "byte", "size of the pieces into which a fixed total (attribute total_bytes) was divided"},
    {"/allreduce/piece_seconds", real, {"piece", "piece_sample"}, "s", "time to reduce the fixed total in pieces of size piece_bytes, maximum over ranks"},

    {"/collectives/verb", text, {"row"}, "1", "collective: all_reduce, reduce_scatter, all_gather, broadcast or send"},
    {"/collectives/ranks", integer, {"row"}, "1", "ranks of the group; of a replay, the number of ranks that it stands for"},
    {"/collectives/groups", integer, {"row"}, "1", "number of groups that carried out the collective at the same time, each with the number of ranks in /collectives/ranks"},
    {"/collectives/nodes", integer, {"row"}, "1", "number of nodes that the ranks of a group are on, the largest of all groups; 0 if it is not known"},
    {"/collectives/bytes", integer, {"row"}, "byte", "full size x of the collective, bytes on the wire"},
    {"/collectives/seconds", real, {"row", "sample"}, "s", "time of one collective alone, maximum over ranks"},
    {"/collectives/median", real, {"row"}, "s", "median time of one collective"},
    {"/collectives/min", real, {"row"}, "s", "minimum time of one collective"},
    {"/collectives/max", real, {"row"}, "s", "maximum time of one collective"},
    {"/collectives/algbw", real, {"row"}, "GB/s", "algorithm bandwidth: bytes over median time, 1 GB = 1e9 bytes"},
    {"/collectives/busbw", real, {"row"}, "GB/s", "bus bandwidth over n ranks: algbw x 2(n-1)/n for an all-reduce, x (n-1)/n for a reduce-scatter and an all-gather, x 1 for a broadcast and a send"},
    {"/collectives/wrong_elements", integer, {"row"}, "1", "elements of the result that were wrong, over all ranks", true},
    {"/collectives/probe_before", real, {"row", "sample"}, "s", "round trip of a cache line between cores before the sample, of the slowest pair of neighbouring ranks"},
    {"/collectives/probe_after", real, {"row", "sample"}, "s", "round trip of a cache line between cores after the sample, of the slowest pair of neighbouring ranks"},
    {"/collectives/piece_verb", text, {"piece"}, "1", "collective that moved a fixed total (attribute total_bytes) in pieces"},
    {"/collectives/piece_ranks", integer, {"piece"}, "1", "ranks of the group; of a replay, the number of ranks that it stands for"},
    {"/collectives/piece_groups", integer, {"piece"}, "1", "groups that moved the fixed total at the same time"},
    {"/collectives/piece_bytes", integer, {"piece"}, "byte", "size of the pieces into which the fixed total was divided"},
    {"/collectives/piece_seconds", real, {"piece", "piece_sample"}, "s", "time to move the fixed total in pieces of size piece_bytes, maximum over ranks"},

    {"/calibration/bytes", integer, {"message"}, "byte", "bytes of gradients that the collective reduces while compute runs"},
    {"/calibration/calls", integer, {"message"}, "1", "number of collectives in a sample, one after another"},
    {"/calibration/kappa", real, {"message"}, "1", "speed of compute while a collective runs, as a share of its speed without a collective (1: not slowed)"},
    {"/calibration/gamma", real, {"message"}, "1", "speed of the collective while compute runs, as a share of its speed without compute (1: not slowed); only the time in which both run counts"},
    {"/calibration/compute_alone", real, {"message", "sample"}, "s", "time of the compute alone"},
    {"/calibration/compute_beside", real, {"message", "sample"}, "s", "time of the compute while collectives run"},
    {"/calibration/collective_alone", real, {"message", "sample"}, "s", "time of the collectives alone"},
    {"/calibration/collective_beside", real, {"message", "sample"}, "s", "time of the collectives while compute runs"},
    {"/calibration/probe_before", real, {"message", "sample"}, "s", "round trip of a cache line between cores before the sample, of the slowest pair of neighbouring ranks"},
    {"/calibration/probe_after", real, {"message", "sample"}, "s", "round trip of a cache line between cores after the sample, of the slowest pair of neighbouring ranks"},
    {"/calibration/later_compute_alone", real, {"message", "later_sample"}, "s", "time of the compute alone in samples after the sweep"},
    {"/calibration/later_compute_beside", real, {"message", "later_sample"}, "s", "time of the compute while collectives run in samples after the sweep"},
    {"/calibration/later_collective_alone", real, {"message", "later_sample"}, "s", "time of the collectives alone in samples after the sweep"},
    {"/calibration/later_collective_beside", real, {"message", "later_sample"}, "s", "time of the collectives while compute runs in samples after the sweep"},
    {"/calibration/later_probe_before", real, {"message", "later_sample"}, "s", "round trip of a cache line between cores before a sample after the sweep, of the slowest pair of neighbouring ranks"},
    {"/calibration/later_probe_after", real, {"message", "later_sample"}, "s", "round trip of a cache line between cores after a sample after the sweep, of the slowest pair of neighbouring ranks"},
    {"/calibration/handover", real, {}, "s", "additional time of a bucket that is reduced while compute runs, for its handover to the communication thread; a(x) does not contain this time; absent if all ranks have a core for this thread"},
    {"/calibration/handover_seconds", real, {"handover_sample"}, "s", "time of an all-reduce of the smallest gradient if the communication thread carries it out, minus its time if the compute thread carries it out; both times are maxima over the ranks"},
    {"/calibration/handover_probe_before", real, {"handover_sample"}, "s", "round trip of a cache line between cores before the sample, of the slowest pair of neighbouring ranks"},
    {"/calibration/handover_probe_after", real, {"handover_sample"}, "s", "round trip of a cache line between cores after the sample, of the slowest pair of neighbouring ranks"},
    {"/calibration/alpha", real, {}, "s", "latency of a collective call in the fit a(x) = alpha + x / beta"},
    {"/calibration/beta", real, {}, "byte/s", "bandwidth in the fit a(x) = alpha + x / beta, in bytes on the wire"},
    {"/calibration/fit_error_mean", real, {}, "1", "mean relative error of the fit a(x) = alpha + x / beta over the sizes of the table"},
    {"/calibration/fit_error_max", real, {}, "1", "largest relative error of the fit a(x) = alpha + x / beta over the sizes of the table"},

    {"/sweep/name", text, {"case"}, "1", "name of the case, for instance bucketed/25"},
    {"/sweep/strategy", text, {"case"}, "1", "strategy of the case: naive, flat, per_tensor, bucketed, optimal or a strategy that was added"},
    {"/sweep/source", text, {"case"}, "1", "program that ran the case: ddproxy or pytorch"},
    {"/sweep/compute_source", text, {"case"}, "1", "how T_compute was sampled: own (before each sample; \"case\" in the input) or round (once in each round, for all its cases)"},
    {"/sweep/bucket_bytes", integer, {"case"}, "byte", "bucket cap of the case", true},
    {"/sweep/first_bucket_bytes", integer, {"case"}, "byte", "cap of the first bucket of the case", true},
    {"/sweep/buckets", integer, {"case"}, "1", "number of buckets of the case"},
    {"/sweep/verified", integer, {"case"}, "1", "1: the reduced gradients were right (with replayed all-reduces: each bucket began in order and not too early); 0: they were wrong", true},
    {"/sweep/order", integer, {"case", "sample"}, "1", "position of the sample in the order in which all samples ran", true},
    {"/sweep/probe_before", real, {"case", "sample"}, "s", "round trip of a cache line between cores before the sample of T, of the slowest pair of neighbouring ranks"},
    {"/sweep/probe_after", real, {"case", "sample"}, "s", "round trip of a cache line between cores after the sample of T, of the slowest pair of neighbouring ranks"},
    {"/sweep/compute_probe_before", real, {"case", "sample"}, "s", "round trip of a cache line between cores before T_compute of the sample, of the slowest pair of neighbouring ranks"},
    {"/sweep/compute_probe_after", real, {"case", "sample"}, "s", "round trip of a cache line between cores after T_compute of the sample, of the slowest pair of neighbouring ranks"},
    {"/sweep/state", integer, {"case", "sample"}, "1", "index of the machine's state in /states; -1 if the probes of T and T_compute differ in state or are unknown", true},
    {"/sweep/counted", integer, {"case", "sample"}, "1", "1: the sample counts in the figures of the case; 0: it was left out, because the machine was in another state", true},
    {"/sweep/measured", real, {"case", "sample", "rank"}, "s", "T: from the start of the backward pass until it has ended and every bucket has been reduced"},
    {"/sweep/compute", real, {"case", "sample", "rank"}, "s", "T_compute: time of the backward pass without communication"},
    {"/sweep/backward_end", real, {"case", "sample", "rank"}, "s", "end of the backward pass with communication, from its start"},
    {"/sweep/arrival", real, {"case", "sample", "rank"}, "s", "time from the arrival of the first rank at the starting barrier to the arrival of this rank"},
    {"/sweep/comm_alone", real, {"case", "sample"}, "s", "T_comm of the case: time of the all-reduces of its buckets without compute, measured right after the sample, maximum over ranks"},
    {"/sweep/bucket_alone", real, {"sample", "bucket"}, "s", "time of each bucket of /plans without compute. The sum over the buckets of a case is its comm_alone. The buckets of a case are in the order in which it reduces them. Absent with one rank"},
    {"/sweep/stopped_by", text, {"case"}, "1", "why sampling of the case ended: samples (the number in the input was reached), target (E is known well enough) or budget (max_seconds was spent)"},
    {"/sweep/contradictions", text, {"contradiction"}, "1", "sentence about results that contradict each other"},
    {"/sweep/same_round", real, {"case"}, "s", "T that the model predicts from T_compute and comm_alone of the same round, median over samples"},
    {"/sweep/same_round_exposed", real, {"case"}, "s", "E that the model predicts from T_compute and comm_alone of the same round, median over samples"},
    {"/sweep/measured_median", real, {"case"}, "s", "median over samples of T, the maximum over ranks"},
    {"/sweep/ci_low", real, {"case"}, "s", "lower end of the 95 % interval of the median T; with fewer than six samples, of the mean T (Student's t)"},
    {"/sweep/ci_high", real, {"case"}, "s", "upper end of the 95 % interval of the median T; with fewer than six samples, of the mean T (Student's t)"},
    {"/sweep/over_best", real, {"case"}, "1", "T divided by T of the best bucketed case in the same round; median over rounds"},
    {"/sweep/over_best_low", real, {"case"}, "1", "lower end of the 95 % interval of over_best; above 1: the case is slower than the best case by more than the noise"},
    {"/sweep/over_best_high", real, {"case"}, "1", "upper end of the 95 % interval of over_best"},
    {"/sweep/predicted", real, {"case"}, "s", "predicted T"},
    {"/sweep/predicted_low", real, {"case"}, "s", "lower end of the 95 % band of the predicted T"},
    {"/sweep/predicted_high", real, {"case"}, "s", "upper end of the 95 % band of the predicted T"},
    {"/sweep/predicted_exposed", real, {"case"}, "s", "predicted E"},
    {"/sweep/predicted_tail", real, {"case"}, "s", "predicted tail"},
    {"/sweep/predicted_slowdown", real, {"case"}, "s", "predicted slowdown"},
    {"/sweep/ideal", real, {"case"}, "s", "predicted E without contention, handovers, copies and jitter"},
    {"/sweep/floor", real, {}, "s", "lower bound on E that holds for every plan: a(x) of the last gradient, minus the compute that follows it, at least 0"},
    {"/sweep/uncontended", real, {"case"}, "s", "predicted E without contention; one of the baselines of the score"},
    {"/sweep/with_contention", real, {"case"}, "s", "predicted E with contention (kappa and gamma) and handovers, without copies and jitter"},
    {"/sweep/with_copies", real, {"case"}, "s", "predicted E with contention, handovers and copies, without jitter"},
    {"/sweep/with_jitter", real, {"case"}, "s", "predicted E with contention, handovers, copies and jitter: a gradient counts as ready when it is ready on all ranks; for overlapped cases this is predicted_exposed"},
    {"/sweep/comm", real, {"case"}, "s", "T_comm: the sum of a(x) over the buckets"},
    {"/sweep/exposed", real, {"case"}, "s", "E = T - T_compute, median of the paired differences"},
    {"/sweep/exposed_low", real, {"case"}, "s", "lower end of the 95 % interval of the median E; with fewer than six samples, of the mean E (Student's t)"},
    {"/sweep/exposed_high", real, {"case"}, "s", "upper end of the 95 % interval of the median E; with fewer than six samples, of the mean E (Student's t)"},
    {"/sweep/slowdown", real, {"case"}, "s", "slowdown: end of the backward pass with communication - T_compute"},
    {"/sweep/tail", real, {"case"}, "s", "tail: T - end of the backward pass with communication"},
    {"/sweep/overlap", real, {"case"}, "1", "overlap: (T_compute + T_comm - T) / min(T_compute, T_comm); T_comm is comm_alone if it was measured, else comm; NaN if the divisor is not larger than the noise of T"},
    {"/sweep/overlap_low", real, {"case"}, "1", "lower end of the 95 % interval of the overlap"},
    {"/sweep/overlap_high", real, {"case"}, "1", "upper end of the 95 % interval of the overlap"},
    {"/sweep/skew", real, {"case"}, "s", "time from the end of the backward pass on the first rank to its end on the last rank, median over samples"},
    {"/sweep/slowest_rank", integer, {"case"}, "1", "rank whose backward pass ended last in most samples", true},

    {"/step/part", text, {"row"}, "1", "part of a whole step: forward, recompute, backward, clip, update, copies, waiting or step; or exposed"},
    {"/step/measured", real, {"row", "sample"}, "s", "time of the part on the rank whose step took longest; the parts before the row step add up to it; the row exposed is step minus /step/alone"},
    {"/step/median", real, {"row"}, "s", "median time of the part over the samples"},
    {"/step/ci_low", real, {"row"}, "s", "lower end of the 95 % interval of the median; with fewer than six samples, of the mean (Student's t)"},
    {"/step/ci_high", real, {"row"}, "s", "upper end of the 95 % interval of the median; with fewer than six samples, of the mean (Student's t)"},
    {"/step/mean", real, {"row"}, "s", "mean time of the part over the samples"},
    {"/step/deviation", real, {"row"}, "s", "standard deviation of the samples; NaN with one sample"},
    {"/step/predicted", real, {"row"}, "s", "time of the part predicted before the samples were taken"},
    {"/step/uncontended", real, {"row"}, "s", "time of the part predicted without contention (kappa = gamma = 1), from measurements in which nothing overlapped"},
    {"/step/first", real, {"row"}, "s", "time of the part in the first step of the run, before anything is warm; NaN for exposed"},
    {"/step/alone", real, {"sample"}, "s", "compute of a step without communication, maximum over ranks"},
    {"/step/host_waits", real, {"sample"}, "s", "delay of the host: time from the end of a collective for which the host waits to the moment at which the host continues, summed over the step. The part waiting includes it. 0 if the host waits for no collective"},
    {"/step/kind", text, {"kind"}, "1", "kind of operator, or clip, update or copies; the last row, matrix products, is the sum of linear and head"},
    {"/step/kind_forward", real, {"kind"}, "s", "time of the kind in forward, in a step without communication"},
    {"/step/kind_backward", real, {"kind"}, "s", "time of the kind in backward and recompute, in a step without communication"},
    {"/step/kind_step", real, {"kind"}, "s", "time of the kind in a step without communication"},
    {"/step/lane", text, {"lane"}, "1", "lane of the step: compute or communication; with several communication lanes, communication is lane 0, and communication 1 is lane 1"},
    {"/step/lane_busy", real, {"lane"}, "s", "time in which the lane carried out tasks, on rank 0 in the last step; a collective that waits for another rank counts, a wait of the host does not"},
    {"/step/predicted_lane_busy", real, {"lane"}, "s", "time in which the lane carries out tasks in the predicted step"},
    {"/step/bubble", real, {}, "s", "time in which the compute lane carried out no task, on rank 0 in the last step; the step ends with the last task of this rank"},
    {"/step/predicted_bubble", real, {}, "s", "time in which the compute lane carries out no task in the predicted step"},
    {"/step/loss", real, {}, "1", "mean loss of all ranks in the last warm-up step; NaN if compute is replayed"},
    {"/step/verified", integer, {}, "1", "1: a step with known numbers gave the right gradients, parameters and optimizer states on all ranks (with replayed collectives: each collective ran in order and not too early); 0: it did not"},
    {"/step/global_batch", integer, {}, "1", "sequences of all ranks in a step"},
    {"/step/model_flops", real, {}, "FLOP/s", "flops that the model needs in a step of one rank, divided by the median time of the step"},
    {"/step/measured_peak", real, {}, "FLOP/s", "mean over the ranks of the fastest large matrix product while all ranks compute; NaN if compute is replayed"},
    {"/step/peak_flops", real, {}, "FLOP/s", "peak of one rank according to [machine]; NaN without one"},

    {"/states/round_trip", real, {"state"}, "s", "median probe of each state; the states are sorted by it. On CPUs a probe is the round trip of a cache line between two cores. On GPUs it is not a time, but 2 to the power of the number of the clock state"},
    {"/states/name", text, {"state"}, "1", "name of the state, for instance 55 ns, or clock 20 % below its maximum, throttled"},
    {"/states/sm_clock", real, {"rank", "moment"}, "Hz", "clock of the multiprocessors of the rank's GPU, before the calibration and after the sweep"},
    {"/states/power_cap", real, {"rank", "moment"}, "W", "power cap that the driver enforces at that moment, 0: not known"},
    {"/states/throttle_reasons", integer, {"rank", "moment"}, "1", "reasons why the clock is below its maximum at that moment, as bits of nvmlClocksThrottleReasons"},
    {"/states/default_power_cap", real, {"rank"}, "W", "power cap that the rank's GPU has by default, 0: not known"},
    {"/states/throttled", real, {"rank"}, "s", "time of the run in which power or heat held the clock of the rank's GPU down"},
    {"/states/samples", integer, {"state"}, "1", "number of samples of the sweep in the state"},
    {"/states/scored", integer, {}, "1", "index of the state to which tables, predictions and figures belong; -1: all samples count", true},
    {"/states/dropped", integer, {}, "1", "number of samples of the sweep during which the machine changed its state"},

    {"/gate/name", text, {"part"}, "1", "part of a step that was timed in addition to the cases, for instance compute/linear or allreduce/64KiB"},
    {"/gate/seconds", real, {"part", "part_sample"}, "s", "time of the part, maximum over ranks; for a series of equal collective calls, the time of one of them"},

    {"/wire/rms_error", real, {"gradient"}, "1", "error of the reduced gradient of a real pass against its average in fp32: Euclidean norm of the difference divided by the Euclidean norm of the average"},
    {"/wire/max_error", real, {"gradient"}, "1", "largest error of an element of the reduced gradient, relative to the mean absolute value of this element on the ranks"},

    {"/precision/rms_error", real, {"gradient"}, "1", "error of the gradient of a real pass at the input's precision against fp32: Euclidean norm of the difference divided by the Euclidean norm of the fp32 gradient, maximum over the ranks"},

    {"/phases/name", text, {"phase"}, "1", "name of the part of the run in which the work was timed: a round of the calibration, for instance round 1, or the sweep"},
    {"/phases/compute", real, {"phase"}, "s", "median T_compute of the phase, maximum over ranks"},
    {"/phases/compute_low", real, {"phase"}, "s", "lower end of the 95 % interval of the median T_compute of the phase"},
    {"/phases/compute_high", real, {"phase"}, "s", "upper end of the 95 % interval of the median T_compute of the phase"},
    {"/phases/allreduce", real, {"phase"}, "s", "median time of one all-reduce alone, of the largest measured size of at most 4 MiB; if all are larger, of the smallest size"},

    {"/plans/first", integer, {"case"}, "1", "index of the case's first bucket in /plans/last_gradient and /plans/bytes"},
    {"/plans/count", integer, {"case"}, "1", "number of buckets of the case"},
    {"/plans/last_gradient", integer, {"bucket"}, "1", "index of the gradient that makes the bucket ready"},
    {"/plans/bytes", integer, {"bucket"}, "byte", "bytes of the gradients in the bucket"},

    {"/timeline/first", integer, {"case"}, "1", "index of the case's first event"},
    {"/timeline/count", integer, {"case"}, "1", "number of events of the case"},
    {"/timeline/start", real, {"event"}, "s", "start of the event, from the start of the backward pass; in a file of ddproxy step, of the step"},
    {"/timeline/end", real, {"event"}, "s", "end of the event, from the start of the backward pass; in a file of ddproxy step, of the step"},
    {"/timeline/predicted_start", real, {"event"}, "s", "start of the event in the predicted step of ddproxy step; absent without such a prediction"},
    {"/timeline/predicted_end", real, {"event"}, "s", "end of the event in the predicted step of ddproxy step; absent without such a prediction"},
    {"/timeline/resource", text, {"event"}, "1", "resource of the event: compute or communication; in a step with several communication lanes, communication is lane 0, and communication 1 is lane 1"},
    {"/timeline/label", text, {"event"}, "1", "operation or bucket of the event (with FSDP a unit in place of a bucket); in a file of ddproxy step also its phase and micro-batch"},
    {"/timeline/phase", text, {"event"}, "1", "part of a whole step that the event belongs to: forward, recompute, backward, norm, clip, update, copy, or a collective: all_reduce, reduce_scatter, all_gather, broadcast, send or receive; absent in a sweep"},
    {"/timeline/event_rank", integer, {"event"}, "1", "rank of the event"},
    {"/timeline/live_bytes_start", integer, {"event"}, "byte", "bytes of the live buffers of the rank after the event has started, including the buffers that the event uses"},
    {"/timeline/live_bytes_end", integer, {"event"}, "byte", "bytes of the live buffers of the rank after the event has ended"},
    {"/timeline/predicted_live_bytes_start", integer, {"event"}, "byte", "bytes of the live buffers after the event has started, in the predicted step of ddproxy step; absent without such a prediction"},
    {"/timeline/predicted_live_bytes_end", integer, {"event"}, "byte", "bytes of the live buffers after the event has ended, in the predicted step of ddproxy step; absent without such a prediction"},

    {"/memory/live_at_start", integer, {"case"}, "byte", "bytes of the live buffers of rank 0 at the start of the last sample of the case; -1 if the case has no sample", true},
    {"/memory/live_peak", integer, {"case"}, "byte", "largest number of bytes of live buffers of rank 0 during the last sample of the case; -1 if the case has no sample", true},
    {"/memory/predicted_peak", integer, {"case"}, "byte", "largest number of bytes of live buffers of rank 0 in the predicted step, -1 without a prediction", true},
    {"/memory/kind", text, {"kind"}, "1", "kind of buffer: parameter, gradient, bucket, gathered_unit, optimizer_state, activation, activation_gradient or scalar"},
    {"/memory/kind_at_peak", integer, {"case", "kind"}, "byte", "bytes of the live buffers of this kind on rank 0 when its live memory is largest, in the last sample of the case; -1 if the case has no sample", true},
    {"/memory/kind_peak", integer, {"case", "kind"}, "byte", "largest number of bytes of live buffers of this kind on rank 0 during the last sample of the case; -1 if the case has no sample", true},
    {"/memory/allocated", integer, {}, "byte", "memory that each rank allocates for the buffers of a step; nothing is allocated for what is replayed, so the value is 0 if compute and all-reduces are both replayed"},

    {"/score/predictor", text, {"predictor"}, "1", "predictor of E: model, constant, pytorch_default or uncontended"},
    {"/score/mean_error", real, {"predictor"}, "1", "mean over the bucketed cases of abs(predicted E - E) / max(E, 0.5 % of T); NaN if E is not known well enough"},
    {"/score/max_error", real, {"predictor"}, "1", "maximum over the bucketed cases of abs(predicted E - E) / max(E, 0.5 % of T)"},
    {"/score/beyond_noise", real, {"predictor"}, "1", "mean over the bucketed cases of max(abs(predicted E - E) - noise of E, 0) / max(E, 0.5 % of T)"},
    {"/score/pairs_in_order", real, {"predictor"}, "1", "share of the pairs of bucketed cases that the prediction puts in the measured order; only pairs count whose E differ by more than twice the larger noise of the two; a pair with equal predictions counts one half"},
    {"/score/regret", real, {"predictor"}, "1", "measured T at the predicted best cap divided by the smallest measured T, minus 1; NaN with fewer than three caps"},
    {"/score/tail_error", real, {"predictor"}, "1", "mean over the bucketed cases of abs(predicted tail - tail) / max(E, 0.5 % of T)"},
    {"/score/slowdown_error", real, {"predictor"}, "1", "mean over the bucketed cases of abs(predicted slowdown - slowdown) / max(E, 0.5 % of T)"},
    {"/score/b_star_measured", integer, {}, "byte", "cap of the sweep with the smallest measured T"},
    {"/score/b_star_predicted", integer, {}, "byte", "cap of the sweep with the smallest predicted T"},
    {"/score/b_star_low", integer, {}, "byte", "lower end of the 95 % interval of the best cap: the lowest cap that can be best within the uncertainty of the prediction"},
    {"/score/b_star_high", integer, {}, "byte", "upper end of the 95 % interval of the best cap: the highest cap that can be best within the uncertainty of the prediction, -1: no upper end"},
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

Dataset const& known_dataset(std::string_view path) {
  Dataset const* dataset = find_dataset(path);
  if (!dataset) throw std::logic_error("the schema has no dataset " + std::string(path));
  return *dataset;
}

std::string_view name_of(Type type) {
  return type == real ? "real" : type == integer ? "integer" : "text";
}

}  // namespace ddproxy::results
