// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause

// Measures what ddproxy's collectives cost compared with a plain loop of the same MPI calls, from start() to
// completion. Run it under the launcher; docs/measurements/collectives.md has the commands and the results.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ctest/bench/plain_collectives.hpp"
#include "kernels/types.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/cores/node_cores.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/machine/runtime.hpp"
#include "model/statistics/quantile.hpp"
#include "model/step/describe.hpp"

namespace ddproxy::bench {
namespace {

constexpr double timeout_s = 300;
constexpr std::size_t train_length = 100;
constexpr std::size_t mib = 1 << 20;

struct Settings {
  std::size_t largest = 256 * mib, piece = 4 * mib;  // bytes
  std::size_t iterations = 101;                      // the most
};

/// The state that all benchmarks of one process share.
struct Machine {
  Runtime const& runtime;
  Settings settings;
  kernels::Floats arena;
  kernels::Floats part;  // result of a reduce-scatter in the plain loops
  bool own_core;         // the communication thread has a core besides that of the waiting thread
};

/// What is compared with its plain loop.
struct Subject {
  model::Verb verb;
  bool train;     ///< all messages are started at once
  bool blocking;  ///< by blocking or nonblocking calls of MPI
};

GroupPlace place_of(Machine const& machine) {
  return {machine.runtime.rank(), machine.runtime.ranks()};
}

/// Rounds the number of elements down to a multiple of the ranks, so that all ranks have equal parts.
std::size_t whole_parts(Machine const& machine, std::size_t elements) {
  const auto ranks = static_cast<std::size_t>(machine.runtime.ranks());
  return elements / ranks * ranks;
}

/// Returns equal messages, which lie one behind the other in the arena and start again at its end.
std::vector<CollectiveCall> messages(Machine const& machine, model::Verb verb, std::size_t bytes,
                                     std::size_t count) {
  const std::size_t elements = bytes / sizeof(float), places = machine.arena.extent(0) / elements;
  const std::size_t used = has_parts(verb) ? whole_parts(machine, elements) : elements;
  std::vector<CollectiveCall> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(in_place(verb, {i % places * elements, used}, place_of(machine)));
  return all;
}

/// Returns the seconds of the same calls without ddproxy, maximum over ranks.
double plain_seconds(Machine const& machine, Subject const& subject,
                     std::vector<CollectiveCall> const& calls) {
  const std::size_t whole = machine.settings.piece / sizeof(float);
  const std::size_t piece = has_parts(subject.verb) ? whole_parts(machine, whole) : whole;
  machine.runtime.barrier();
  const auto start = Clock::now();
  for (auto const& call : calls) {
    const auto [offset, count] = full_slice(call);
    plain_collective(
        subject.verb, subject.blocking,
        {machine.arena.data() + offset, machine.part.data(), count, piece, machine.runtime.communicator()});
  }
  return machine.runtime.maximum(seconds_since(start));
}

/// Returns the seconds of ddproxy's calls: one message after another, or all started at once.
double own_seconds(Machine const& machine, CommunicationLane& lane, bool train,
                   std::vector<CollectiveCall> const& calls) {
  lane.begin(calls.size());
  machine.runtime.barrier();
  const auto start = Clock::now();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    lane.start(calls[k], {start});
    if (!train) lane.wait_for(k);
  }
  lane.wait_all();
  return machine.runtime.maximum(seconds_since(start));
}

struct Pairs {
  std::vector<double> own, plain;  // seconds of one message
  double ratio() const { return model::median(own) / model::median(plain); }
};

/// Returns a 95 % interval of the ratio of the medians, by resampling the pairs.
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

/// Measures both in turns. Which of them is first alternates.
void compare(benchmark::State& state, Machine const& machine, Subject const& subject, std::size_t bytes) {
  ThreadedLane own(std::make_unique<MpiEngine>(machine.runtime.communicator(), machine.arena.data(),
                                               machine.settings.piece / sizeof(float), timeout_s,
                                               WireFormat::fp32, CallTable(subject.blocking)),
                   machine.own_core, machine.runtime.rank());
  const std::size_t row = subject.train ? train_length : std::clamp<std::size_t>(mib / 4 / bytes, 1, 64);
  const auto calls = messages(machine, subject.verb, bytes, row);
  const auto one = 1.0 / static_cast<double>(row);
  own_seconds(machine, own, subject.train, calls);
  plain_seconds(machine, subject, calls);
  Pairs pairs;
  bool own_first = true;
  for (auto _ : state) {
    double of_plain = 0, of_own = 0;
    if (!own_first) of_plain = plain_seconds(machine, subject, calls);
    of_own = own_seconds(machine, own, subject.train, calls);
    if (own_first) of_plain = plain_seconds(machine, subject, calls);
    own_first = !own_first;
    state.SetIterationTime(of_own);
    pairs.own.push_back(of_own * one);
    pairs.plain.push_back(of_plain * one);
  }
  report(state, pairs, bytes);
}

// Returns the number of iterations: at least seven for long messages, unless the user asked for fewer.
std::int64_t iterations(Settings const& settings, std::size_t bytes_of_row) {
  const auto wanted = std::clamp<std::size_t>(512 * mib / bytes_of_row, 7, 101);
  return static_cast<std::int64_t>(std::min(wanted, settings.iterations));
}

/// Returns the name of a benchmark. All-reduces keep the names from before other verbs were measured.
std::string name_of(Subject const& subject, std::size_t bytes) {
  const std::string what = subject.train ? "train of 100"
                           : subject.verb == model::Verb::all_reduce
                               ? "bucket"
                               : std::string(model::name_of(subject.verb));
  return fmt::format("{}/{}/{}KiB", what, subject.blocking ? "blocking" : "nonblocking", bytes / 1024);
}

void register_one(Machine const& machine, Subject const& subject) {
  for (std::size_t bytes = 4096; bytes <= machine.settings.largest; bytes *= 4) {
    const std::size_t whole = subject.train ? bytes * train_length : bytes;
    if (whole > machine.settings.largest) break;
    benchmark::RegisterBenchmark(
        name_of(subject, bytes).c_str(),
        [=, &machine](benchmark::State& state) { compare(state, machine, subject, bytes); })
        ->Iterations(iterations(machine.settings, whole))
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

void register_all(Machine const& machine) {
  using model::Verb;
  for (const bool train : {false, true})
    for (const bool blocking : {true, false}) register_one(machine, {Verb::all_reduce, train, blocking});
  for (const auto verb : {Verb::reduce_scatter, Verb::all_gather, Verb::broadcast})
    for (const bool blocking : {true, false}) register_one(machine, {verb, false, blocking});
}

class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

/// Removes --largest_mib=N, --piece_mib=N and --iterations=N from the command line. On ranks other than 0
/// also removes options that write a file.
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
                        kernels::Floats("part", settings.largest / sizeof(float)), cores >= 2};
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
