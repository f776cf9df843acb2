// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/compare_mpi_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "miniapp/compute/verification_pattern.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/measure/calibration/calibrate.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

constexpr std::int64_t smallest_message = 1024, largest_message = 64 << 20;
constexpr int size_step = 8, samples = 7, samples_beside = 5, most_calls = 256;
constexpr double row_s = 1e-3, compute_s = 10e-3;
constexpr double clearly = 1.03;

// The two communication lanes that are compared: one for the blocking and one for the nonblocking MPI call.
struct Both {
  Both(RankContext& context, bool own_core)
      : blocking(make(context, true, own_core)), nonblocking(make(context, false, own_core)) {}
  static std::unique_ptr<CommunicationLane> make(RankContext& context, bool blocking, bool own_core) {
    return context.make_allreduce({MpiCallTable(blocking), own_core, ""});
  }
  std::unique_ptr<CommunicationLane> blocking, nonblocking;
};

std::vector<std::int64_t> sizes_of(RankContext const& context) {
  const auto wire = context.workload.wire;
  const auto piece = static_cast<std::int64_t>(context.config.piece_mib * model::bytes_per_mib);
  const auto all = static_cast<std::int64_t>(context.arena.size()) * wire_element_bytes(wire);
  const auto largest = std::min({wire_bytes(piece, wire), all, largest_message});
  std::vector<std::int64_t> sizes;
  for (auto size = smallest_message; size < largest; size *= size_step) sizes.push_back(size);
  sizes.push_back(largest);
  return sizes;
}

double time_row(RankContext& context, CommunicationLane& allreduce, std::vector<Slice> const& calls,
                Work const* work) {
  allreduce.begin(calls.size());
  synchronise_clocks();
  context.runtime.barrier();
  const auto start = Clock::now();
  for (auto const& slice : calls) allreduce.start_all_reduce(slice, {start});
  if (work) run_work(context, *work);
  if (work) context.backward->fence();
  allreduce.wait_all();
  return context.runtime.maximum(seconds_since(start));
}

struct Medians {
  double blocking, nonblocking;
  bool certain;  // the same MPI call was faster in every pair
};

// Carries out the row of all-reduces `calls` with the blocking and then with the nonblocking MPI call. This
// is one pair. Measures `times` pairs, after one pair that is discarded. Returns, for each MPI call, the
// median of the seconds that the whole row takes.
Medians time_both(RankContext& context, Both& both, std::vector<Slice> const& calls, Work const* work,
                  int times) {
  std::vector<double> of_blocking, of_nonblocking;
  int faster = 0;  // pairs in which the blocking MPI call was faster
  for (int i = 0; i <= times; ++i) {
    const double first = time_row(context, *both.blocking, calls, work);
    const double second = time_row(context, *both.nonblocking, calls, work);
    if (i == 0) continue;
    of_blocking.push_back(first);
    of_nonblocking.push_back(second);
    faster += first < second;
  }
  return {model::median(of_blocking), model::median(of_nonblocking), faster == 0 || faster == times};
}

int as_many(double seconds, double of_one) {
  return static_cast<int>(std::clamp(seconds / of_one, 1.0, double(most_calls)));
}

std::vector<Slice> row_of(Slice slice, int calls) {
  return std::vector<Slice>(static_cast<std::size_t>(calls), slice);
}

MpiCallTimes measure_size(RankContext& context, Both& both, std::int64_t bytes,
                          std::optional<Work> const& work, double work_s) {
  Slice slice{0, static_cast<std::size_t>(bytes / wire_element_bytes(context.workload.wire))};
  const int calls = as_many(row_s, time_row(context, *both.blocking, {slice}, nullptr));
  const auto alone = time_both(context, both, row_of(slice, calls), nullptr, samples);
  MpiCallTimes times{bytes, alone.blocking / calls, alone.nonblocking / calls};
  if (!work) return times;
  slice = {work->free_offset, std::min(slice.count, context.arena.size() - work->free_offset)};
  const int calls_beside = as_many(work_s, std::min(times.blocking, times.nonblocking));
  const auto beside = time_both(context, both, row_of(slice, calls_beside), &*work, samples_beside);
  times.beside_blocking = beside.blocking;
  times.beside_nonblocking = beside.nonblocking;
  times.certain = beside.certain;
  return times;
}

// Returns the compute of a contention run, which takes about compute_s seconds, and assigns its time to
// `seconds`. Returns nothing if compute uses no core of the host, or if its gradients fill the arena.
std::optional<Work> make_work(RankContext& context, double& seconds) {
  if (on_device || context.config.compute == ComputeMode::replay) return {};
  Work work = choose_work(context);
  if (work.free_offset >= context.arena.size()) return {};
  for (int pass = 0; pass < 2; ++pass) {  // the first pass only touches the memory
    context.runtime.barrier();
    const auto start = Clock::now();
    run_work(context, work);
    context.backward->fence();
    seconds = context.runtime.maximum(seconds_since(start));
  }
  work.repetitions = as_many(compute_s, seconds);
  seconds *= work.repetitions;
  return work;
}

std::string ratios(std::vector<MpiCallTimes> const& all, double MpiCallTimes::*a, double MpiCallTimes::*b) {
  double low = INFINITY, high = 0;
  for (auto const& times : all) {
    low = std::min(low, times.*a / (times.*b));
    high = std::max(high, times.*a / (times.*b));
  }
  return fmt::format("{:.2f} to {:.2f}", low, high);
}

// Returns a size for messages, for instance "4 MiB", "1 KiB" or "100 bytes".
std::string size_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1024 ? fmt::format("{:.3g} KiB", kib) : fmt::format("{:.3g} MiB", kib / 1024);
}

std::string explain(std::vector<MpiCallTimes> const& all) {
  auto text = fmt::format(
      "Chosen automatically: the blocking and the nonblocking call were timed at {} sizes from {} to {}. The "
      "ratio of their times (blocking / nonblocking) is {} without compute",
      all.size(), size_text(all.front().bytes), size_text(all.back().bytes),
      ratios(all, &MpiCallTimes::blocking, &MpiCallTimes::nonblocking));
  if (all.front().beside_blocking > 0)
    text +=
        ", and " + ratios(all, &MpiCallTimes::beside_blocking, &MpiCallTimes::beside_nonblocking) +
        " while compute runs. ddproxy takes the call that is faster without compute, unless the other one "
        "is clearly faster while compute runs";
  return text;
}

}  // namespace

bool prefers_blocking(MpiCallTimes const& times) {
  const bool faster = times.blocking <= times.nonblocking;
  if (faster) return !(times.certain && times.beside_blocking > clearly * times.beside_nonblocking);
  return times.certain && times.beside_nonblocking > clearly * times.beside_blocking;
}

MpiCallChoice compare_mpi_calls(RankContext& context, bool own_core) {
  Both both(context, own_core);
  const auto sizes = sizes_of(context);
  const auto elements = static_cast<std::size_t>(sizes.back() / wire_element_bytes(context.workload.wire));
  write_verification_pattern(kernels::view_of(context.arena), {0, elements},
                             context.runtime.rank());  // finite numbers, because sums of NaN may take longer
  double work_s = 0;
  const auto work = make_work(context, work_s);
  std::vector<MpiCallTimes> all;
  for (const auto bytes : sizes) all.push_back(measure_size(context, both, bytes, work, work_s));
  std::vector<std::int64_t> decided;
  for (auto const& times : all) decided.push_back(prefers_blocking(times));
  context.runtime.broadcast(decided);
  return {MpiCallTable(sizes, {decided.begin(), decided.end()}), own_core, explain(all)};
}

}  // namespace ddproxy
