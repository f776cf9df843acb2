// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/schema.hpp"

namespace ddproxy::results {
namespace {

constexpr auto attributes = std::to_array<AttributeOf>({
    {"/", "Conventions", "CF-1.10"},
    {"/", "schema_version", "1"},
    {"/", "complete", "1 when the run finished, 0 while it runs or where it was interrupted"},
    {"/", "created", "time at which the file was begun, ISO 8601, UTC"},
    {"/", "ddproxy_version", "version of the program that wrote it"},
    {"/", "command", "run, layers, allreduce, collectives or sweep"},
    {"/", "label", "name of the offer, from --label; absent without it"},

    {"/provenance", "git_revision", "revision of the source, -dirty where it was changed"},
    {"/provenance", "compiler", "compiler and version"},
    {"/provenance", "flags", "compiler flags"},
    {"/provenance", "kokkos", "Kokkos version and configuration"},
    {"/provenance", "mpi", "MPI library and version"},
    {"/provenance", "nccl", "NCCL version, or none"},
    {"/provenance", "allreduce", "what reduced: backend, memory, wire, and who drives it"},
    {"/provenance", "device_runtime", "run-time library of the device; with a device only"},
    {"/provenance", "device_driver", "its driver; with a device only"},
    {"/provenance", "blas", "BLAS library, version and processor type it chose"},
    {"/provenance", "blas_advice", "known cure where that choice is slow on this processor, else empty"},
    {"/provenance", "hdf5", "HDF5 version"},
    {"/provenance", "threads",
     "threads of the host with which a rank computes; empty with a replay or a device"},
    {"/provenance", "placement", "threads and cores of the ranks, and why; empty with a device"},
    {"/provenance", "second_start",
     "variables with which the program started itself again, as NAME=value; empty where it did not"},
    {"/provenance", "device_kind", "what computed: the processor's or the accelerator's model, or replay"},

    {"/model", "preset", "name of the preset, or none"},
    {"/model", "shape", "all dimensions and variants on one line"},
    {"/model", "parameters", "number of parameters"},
    {"/model", "precision", "fp32, tf32 or bf16"},
    {"/model", "batch", "sequences of a rank's step"},
    {"/model", "sequence", "tokens of a sequence"},

    {"/sweep", "ranks", "number of ranks; of a twin, the number it stands for"},
    {"/sweep", "compute_mode", "kernels or replay"},
    {"/sweep", "backend", "mpi, nccl or replay"},
    {"/sweep", "progress", "thread, poll or none"},
    {"/sweep", "call",
     "call by which MPI reduced: blocking, nonblocking, or from which bytes on the wire each; where MPI "
     "reduced"},
    {"/sweep", "copies", "none, in or in+out"},
    {"/sweep", "wire", "fp32 or bf16: the form in which gradients travel"},
    {"/sweep", "target",
     "half-width of the 95 % interval of E that ends the sampling of a case, over the larger of E and 0.5 % "
     "of T"},
    {"/sweep", "max_seconds", "time for all rounds of samples; absent where the number of samples was given"},
    {"/sweep", "warmup", "rounds before the measured ones"},
    {"/sweep", "piece_mib", "largest piece in which a bucket is reduced, MiB; with mpi only"},
    {"/sweep", "priority", "of the communication stream, normal or high; with nccl only"},

    {"/gate", "session", "name of the gate's session, the same in all its files; with scripts/gate only"},
    {"/gate", "round", "number of the gate's round, from 1; with scripts/gate only"},

    {"/allreduce", "ranks", "number of ranks"},
    {"/allreduce", "call", "as of /sweep"},
    {"/allreduce", "total_bytes", "fixed total of piece_seconds"},

    {"/collectives", "call", "as of /sweep"},
    {"/collectives", "total_bytes", "fixed total of piece_seconds"},

    {"/wire", "element_bytes", "bytes of an element on the wire"},
    {"/wire", "error_bound", "bound of max_error, proven (docs/input.md)"},
    {"/wire", "total_rms_error", "rms_error of all gradients together"},

    {"/precision", "total_rms_error", "rms_error of all gradients together"},

    {"/phases", "drift",
     "the warning that T_compute differs between the phases, with its size; empty where it does not"},

    {"/states", "told_by", "what tells the states: a round trip between cores, or the clocks of the GPUs"},

    {"/fom", "tokens_per_s",
     "figure of merit: ranks x tokens of a rank / T of the best measured bucketed case"},
    {"/fom", "backward_s", "T of that case, seconds"},
    {"/fom", "bucket_mib", "its bucket cap, MiB"},
    {"/fom", "exposed_s", "its E, seconds"},
    {"/fom", "tail_s", "its tail, seconds"},
    {"/fom", "overlap", "its overlap"},
    {"/fom", "bus_bw_GBps", "bus bandwidth at the largest size, GB/s"},
    {"/fom", "model_error", "mean of |predicted E - E| / max(E, 0.5 % of T) over the bucketed cases"},
    {"/fom", "model_error_beyond_noise",
     "the same of what is left of |predicted E - E| after the noise of E"},
    {"/fom", "why_no_model_error", "why model_error is NaN, in words; empty where it is not"},
    {"/fom", "regret", "T at the predicted best cap over the least T, - 1"},
    {"/fom", "why_no_regret", "why regret is NaN, in words; empty where it is not"},
    {"/fom", "valid",
     "what the figures are worth: true, replay, single, oversubscribed, unsteady or false (see the table of "
     "its values)"},
});

}  // namespace

std::span<const AttributeOf> schema_attributes() {
  return attributes;
}

}  // namespace ddproxy::results
