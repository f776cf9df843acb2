// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/schema.hpp"

namespace ddproxy::results {
namespace {

constexpr auto attributes = std::to_array<AttributeOf>({
    {"/", "Conventions", "CF-1.10"},
    {"/", "schema_version", "1"},
    {"/", "complete", "1 when the run finished, 0 while it runs or if it was interrupted"},
    {"/", "created", "time at which the file was begun, ISO 8601, UTC"},
    {"/", "run_id", "16 random hexadecimal digits that name the run"},
    {"/", "resumed_from",
     "run_id of the interrupted run that this run continues (--resume); absent if it continues none"},
    {"/", "rounds_before",
     "complete rounds (in a file of ddproxy step: samples) of the interrupted run and of those that it "
     "continued; absent without resumed_from"},
    {"/", "ddproxy_version", "version of the program that wrote the file"},
    {"/", "command", "run, layers, allreduce, collectives, sweep or step"},
    {"/", "label", "name of the offer, from --label; absent without it"},

    {"/provenance", "git_revision", "revision of the source, with -dirty if the source was changed"},
    {"/provenance", "compiler", "compiler and version"},
    {"/provenance", "flags", "compiler flags"},
    {"/provenance", "kokkos", "Kokkos version and configuration"},
    {"/provenance", "mpi", "MPI library and version"},
    {"/provenance", "nccl", "NCCL version, or none"},
    {"/provenance", "nccl_settings",
     "the environment variables that are set and that choose the transports and algorithms of NCCL, as "
     "NAME=value; "
     "the word defaults if none is set; empty if NCCL does not reduce"},
    {"/provenance", "allreduce", "what reduced the gradients: backend, memory, wire, and who drives it"},
    {"/provenance", "device_runtime", "run-time library of the device; with a device only"},
    {"/provenance", "device_driver", "driver of the device; with a device only"},
    {"/provenance", "blas", "BLAS library, its version and the processor type that it chose"},
    {"/provenance", "blas_advice",
     "advice if matrix products are known to be slow here: another core type of OpenBLAS, an OpenBLAS with "
     "threads, or any BLAS if there is none; empty if there is no advice"},
    {"/provenance", "hdf5", "HDF5 version"},
    {"/provenance", "threads", "compute threads of each rank on a host; empty with a replay or a device"},
    {"/provenance", "placement", "threads and cores of the ranks, and the reason; empty with a device"},
    {"/provenance", "second_start",
     "variables with which the program started itself again, as NAME=value; empty if it did not"},
    {"/provenance", "device_kind", "what computed: the processor's or the accelerator's model, or replay"},

    {"/model", "preset",
     "name of the preset, with (changed) if the input changes its shape; the word free if there is no "
     "preset"},
    {"/model", "shape", "all dimensions and variants on one line"},
    {"/model", "parameters", "number of parameters"},
    {"/model", "precision", "precision of the computation: fp32, tf32 or bf16"},
    {"/model", "batch", "sequences in a micro-batch of one rank"},
    {"/model", "sequence", "tokens in a sequence"},

    {"/sweep", "ranks", "number of ranks; of a replay, the number of ranks that it stands for"},
    {"/sweep", "compute_mode", "source of the compute times: kernels or replay"},
    {"/sweep", "backend", "library that reduced: mpi, nccl or replay"},
    {"/sweep", "progress", "what drives the collectives: thread, poll or none"},
    {"/sweep", "call",
     "MPI call that reduced: blocking, nonblocking, or for each of them the sizes for which it was used, in "
     "bytes on the wire; only if MPI reduced"},
    {"/sweep", "call_setting", "[allreduce] call of the input: auto, blocking or nonblocking; with mpi only"},
    {"/sweep", "copies", "copies between gradients and buckets: none, in or in+out"},
    {"/sweep", "wire", "format of the gradients on the wire: fp32 or bf16"},
    {"/sweep", "target",
     "half-width of the 95 % interval of E, relative to the larger of E and 0.5 % of T; the sampling ends "
     "when all cases have reached it"},
    {"/sweep", "max_seconds",
     "limit of the time for all rounds of samples, seconds; absent if the input and the options give none"},
    {"/sweep", "seconds",
     "time of all complete rounds, also of those that rounds_before counts, seconds; with max_seconds only"},
    {"/sweep", "warmup", "number of warm-ups before the first sample"},
    {"/sweep", "piece_mib", "largest piece in which a bucket is reduced, MiB; with mpi only"},
    {"/sweep", "priority", "priority of the communication stream, normal or high; with nccl only"},

    {"/gate", "session", "name of the gate's session, the same in all its files; with scripts/gate only"},
    {"/gate", "round", "number of the gate's round, from 1; with scripts/gate only"},

    {"/allreduce", "ranks", "number of ranks"},
    {"/allreduce", "call", "MPI call that reduced, as in /sweep"},
    {"/allreduce", "total_bytes",
     "sum of the sizes of all collective calls in a sample of /allreduce/piece_seconds, bytes"},

    {"/collectives", "call", "MPI call that reduced, as in /sweep"},
    {"/collectives", "total_bytes",
     "sum of the sizes of all collective calls in a sample of /collectives/piece_seconds, bytes"},

    {"/wire", "element_bytes", "bytes of an element on the wire"},
    {"/wire", "error_bound", "proven bound of /wire/max_error (docs/input.md)"},
    {"/wire", "total_rms_error", "rms_error of all gradients together"},

    {"/precision", "total_rms_error", "rms_error of all gradients together"},

    {"/phases", "drift",
     "warning that T_compute differs between the phases, with the size of the difference; empty if it does "
     "not"},

    {"/states", "told_by",
     "what distinguishes the states: a round trip between cores, or the clocks of the GPUs"},

    {"/step", "ranks", "number of ranks; of a replay, the number of ranks that it stands for"},
    {"/step", "accumulation", "micro-batches of a step"},
    {"/step", "sync", "when gradients are averaged: last or each micro-batch"},
    {"/step", "checkpoint",
     "none, or layer: the activations of each block are computed again in the backward pass"},
    {"/step", "sharding", "how the step is divided among the ranks: none, or the stage and its settings"},
    {"/step", "optimizer", "none or adamw"},
    {"/step", "clip", "largest norm of all gradients together; NaN: not clipped"},
    {"/step", "bucket_mib",
     "cap of the buckets, MiB; not used with sharding fsdp, which gathers and reduces units"},
    {"/step", "compute_mode", "source of the compute times: kernels or replay"},
    {"/step", "backend", "what carried out the all-reduces: mpi, nccl or replay"},
    {"/step", "progress", "what drives the all-reduces: thread, poll or none"},
    {"/step", "call",
     "MPI call that reduced: blocking, nonblocking, or for each of them the sizes for which it was used, in "
     "bytes on the wire; only if MPI reduced"},
    {"/step", "call_setting", "[allreduce] call of the input: auto, blocking or nonblocking; with mpi only"},
    {"/step", "copies", "copies between gradients and buckets: none, in or in+out"},
    {"/step", "wire", "format of the gradients on the wire: fp32 or bf16"},
    {"/step", "warmup",
     "number of steps before the measured ones, according to the input; at least one is taken"},
    {"/step", "piece_mib", "largest piece in which a bucket is reduced, MiB; with mpi only"},
    {"/step", "priority", "priority of the communication stream, normal or high; with nccl only"},
    {"/step", "valid", "what the figures are worth, as in /fom; absent in an unfinished file"},
    {"/step", "step_tokens_per_s", "figure of merit: tokens of all ranks in a step / median time of a step"},
    {"/step", "step_s", "median time of a step, seconds"},
    {"/step", "forward_s", "median time of forward, seconds"},
    {"/step", "backward_s", "median time of backward, seconds"},
    {"/step", "exposed_s", "median E of a step, seconds"},
    {"/step", "update_s", "median time of the update, seconds"},
    {"/step", "model_error", "absolute value of predicted step / step_s - 1"},
    {"/step", "host_waits_s",
     "median over the steps of the host's waits: time from the end of the collectives for which the host "
     "waits until the host goes on, summed over a step, seconds; only with mpi on a device"},
    {"/fom", "tokens_per_s",
     "figure of merit: ranks x tokens of a rank / T of the best measured bucketed case"},
    {"/fom", "backward_s", "T of the best measured bucketed case, seconds"},
    {"/fom", "bucket_mib", "bucket cap of the best measured bucketed case, MiB"},
    {"/fom", "exposed_s", "E of the best measured bucketed case, seconds"},
    {"/fom", "tail_s", "tail of the best measured bucketed case, seconds"},
    {"/fom", "overlap", "overlap of the best measured bucketed case"},
    {"/fom", "bus_bw_GBps", "bus bandwidth of the all-reduce at the largest size, GB/s"},
    {"/fom", "model_error", "mean of abs(predicted E - E) / max(E, 0.5 % of T) over the bucketed cases"},
    {"/fom", "model_error_beyond_noise",
     "mean over the bucketed cases of the part of abs(predicted E - E) beyond the noise of E, divided by "
     "max(E, "
     "0.5 % of T)"},
    {"/fom", "why_no_model_error", "why model_error is NaN, in words; empty if model_error is a number"},
    {"/fom", "regret", "measured T at the predicted best cap divided by the smallest measured T, minus 1"},
    {"/fom", "why_no_regret", "why regret is NaN, in words; empty if regret is a number"},
    {"/fom", "valid",
     "what the figures are worth: true, replay, single, oversubscribed, unsteady or false (see the table of "
     "its values)"},
});

}  // namespace

std::span<const AttributeOf> schema_attributes() {
  return attributes;
}

}  // namespace ddproxy::results
