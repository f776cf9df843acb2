// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause

// What ddproxy's all-reduce costs beside a plain loop of the same MPI calls, from start() to completion. Run
// it under the launcher; docs/measurements/collectives.md says how, and what was measured.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/types.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/cores/node_cores.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/machine/runtime.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy::bench {
namespace {

constexpr double timeout_s = 300;
constexpr std::size_t train_length = 100;
constexpr std::size_t mib = 1 << 20;

struct Settings {
  std::size_t largest = 256 * mib, piece = 4 * mib;  // bytes
  std::size_t iterations = 101;                      // at most
};

/// What the benchmarks of one process share.
struct Machine {
  Runtime const& runtime;
  Settings settings;
  kernels::Floats arena;
  bool own_core;  // for the communication thread beside the one that waits
};

/// Equal messages, at consecutive places of the arena as far as it reaches.
std::vector<Slice> messages(Machine const& machine, std::size_t bytes, std::size_t count) {
  const std::size_t elements = bytes / sizeof(float), places = machine.arena.extent(0) / elements;
  std::vector<Slice> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({i % places * elements, elements});
  return all;
}

/// Seconds of the same calls without ddproxy, maximum over ranks.
double plain_seconds(Machine const& machine, bool blocking, std::vector<Slice> const& calls) {
  const std::size_t piece = machine.settings.piece / sizeof(float);
  MPI_Comm comm = machine.runtime.communicator();
  machine.runtime.barrier();
  const auto start = Clock::now();
  for (auto const& [offset, count] : calls)
    for (std::size_t at = 0; at < count; at += piece) {
      float* const values = machine.arena.data() + offset + at;
      const int elements = static_cast<int>(std::min(piece, count - at));
      MPI_Request request = MPI_REQUEST_NULL;
      if (blocking)
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, values, elements, MPI_FLOAT, MPI_SUM, comm));
      else
        check_mpi(MPI_Iallreduce(MPI_IN_PLACE, values, elements, MPI_FLOAT, MPI_SUM, comm, &request));
      if (!blocking) check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
  return machine.runtime.maximum(seconds_since(start));
}

/// Seconds of ddproxy's: one message after another, or all of them asked for at once.
double own_seconds(Machine const& machine, CommunicationLane& allreduce, bool train,
                   std::vector<Slice> const& calls) {
  allreduce.begin(calls.size());
  machine.runtime.barrier();
  const auto start = Clock::now();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    allreduce.start_all_reduce(calls[k], {start});
    if (!train) allreduce.wait_for(k);
  }
  allreduce.wait_all();
  return machine.runtime.maximum(seconds_since(start));
}

struct Pairs {
  std::vector<double> own, plain;  // seconds of one message
  double ratio() const { return model::median(own) / model::median(plain); }
};

/// 95 % interval of the ratio of medians, by resampling the pairs.
std::pair<double, double> interval(Pairs const& pairs) {
  constexpr int resamples = 2000;
  std::mt19937 random(1);
  std::vector<double> ratios;
  for (int i = 0; i < resamples; ++i) {
    Pairs some;
    for (std::size_t k = 0; k < pairs.own.size(); ++k) {
      const std::size_t one = random() % pairs.own.size();
      some.own.push_back(pairs.own[one]);
      some.plain.push_back(pairs.plain[one]);
    }
    ratios.push_back(some.ratio());
  }
  return {model::quantile(ratios, 0.025), model::quantile(ratios, 0.975)};
}

double extra_microseconds(Pairs const& pairs) {
  std::vector<double> extra;
  for (std::size_t k = 0; k < pairs.own.size(); ++k) extra.push_back((pairs.own[k] - pairs.plain[k]) * 1e6);
  return model::median(extra);
}

void report(benchmark::State& state, Pairs const& pairs, std::size_t bytes) {
  const auto [low, high] = interval(pairs);
  state.counters["plain_us"] = model::median(pairs.plain) * 1e6;
  state.counters["own_us"] = model::median(pairs.own) * 1e6;
  state.counters["extra_us"] = extra_microseconds(pairs);
  state.counters["ratio"] = pairs.ratio();
  state.counters["low"] = low;
  state.counters["high"] = high;
  state.counters["GB/s"] = static_cast<double>(bytes) / model::median(pairs.own) / 1e9;
}

/// Both in turns; which of them is first alternates.
void compare(benchmark::State& state, Machine const& machine, bool blocking, bool train, std::size_t bytes) {
  ThreadedLane own(std::make_unique<MpiEngine>(machine.runtime.communicator(), machine.arena.data(),
                                               machine.settings.piece / sizeof(float), timeout_s,
                                               WireFormat::fp32, CallTable(blocking)),
                   machine.own_core, machine.runtime.rank());
  const std::size_t row = train ? train_length : std::clamp<std::size_t>(mib / 4 / bytes, 1, 64);
  const auto calls = messages(machine, bytes, row);
  const auto one = 1.0 / static_cast<double>(row);
  own_seconds(machine, own, train, calls);
  plain_seconds(machine, blocking, calls);
  Pairs pairs;
  bool own_first = true;
  for (auto _ : state) {
    double of_plain = 0, of_own = 0;
    if (!own_first) of_plain = plain_seconds(machine, blocking, calls);
    of_own = own_seconds(machine, own, train, calls);
    if (own_first) of_plain = plain_seconds(machine, blocking, calls);
    own_first = !own_first;
    state.SetIterationTime(of_own);
    pairs.own.push_back(of_own * one);
    pairs.plain.push_back(of_plain * one);
  }
  report(state, pairs, bytes);
}

// At least seven of the long ones, where no fewer are asked for.
std::int64_t iterations(Settings const& settings, std::size_t bytes_of_row) {
  const auto wanted = std::clamp<std::size_t>(512 * mib / bytes_of_row, 7, 101);
  return static_cast<std::int64_t>(std::min(wanted, settings.iterations));
}

void register_all(Machine const& machine) {
  for (const bool train : {false, true})
    for (const bool blocking : {true, false})
      for (std::size_t bytes = 4096; bytes <= machine.settings.largest; bytes *= 4) {
        const std::size_t whole = train ? bytes * train_length : bytes;
        if (whole > machine.settings.largest) break;
        const auto name = fmt::format("{}/{}/{}KiB", train ? "train of 100" : "bucket",
                                      blocking ? "blocking" : "nonblocking", bytes / 1024);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [=, &machine](benchmark::State& state) { compare(state, machine, blocking, train, bytes); })
            ->Iterations(iterations(machine.settings, whole))
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      }
}

class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

/// Takes --largest_mib=N, --piece_mib=N and --iterations=N off the command line, and above rank 0 what would
/// write a file.
Settings take_settings(int& argc, char** argv, bool root) {
  Settings settings;
  struct Option {
    std::string_view name;
    std::size_t* value;
    std::size_t unit;
  };
  const Option options[] = {{"--largest_mib=", &settings.largest, mib},
                            {"--piece_mib=", &settings.piece, mib},
                            {"--iterations=", &settings.iterations, 1}};
  const auto taken = [&](char const* argument) {
    const std::string_view text = argument;
    for (auto const& [name, value, unit] : options)
      if (text.starts_with(name)) {
        *value = std::strtoul(argument + name.size(), nullptr, 10) * unit;
        return true;
      }
    return !root && text.starts_with("--benchmark_out");
  };
  argc = static_cast<int>(std::remove_if(argv + 1, argv + argc, taken) - argv);
  return settings;
}

int run(int argc, char** argv) {
  const Runtime runtime(argc, argv);
  const Settings settings = take_settings(argc, argv, runtime.root());
  benchmark::Initialize(&argc, argv);
  if (settings.largest == 0 || settings.piece == 0 || settings.iterations == 0 ||
      benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  const double cores = -runtime.maximum(-core_share(runtime.communicator()));
  const Machine machine{runtime, settings, kernels::Floats("messages", settings.largest / sizeof(float)),
                        cores >= 2};
  benchmark::AddCustomContext("ranks", std::to_string(runtime.ranks()));
  benchmark::AddCustomContext("cores of a rank", fmt::format("{:.3g}", cores));
  benchmark::AddCustomContext("piece MiB", std::to_string(settings.piece / mib));
  register_all(machine);
  SilentReporter silent;
  if (runtime.root())
    benchmark::RunSpecifiedBenchmarks();
  else
    benchmark::RunSpecifiedBenchmarks(&silent);
  return 0;
}

}  // namespace
}  // namespace ddproxy::bench

int main(int argc, char** argv) {
  return ddproxy::bench::run(argc, argv);
}
