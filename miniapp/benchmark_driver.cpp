// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/benchmark_driver.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "miniapp/build_info.hpp"
#include "miniapp/sweep.hpp"

namespace ddproxy {
namespace {

bool arguments_given = false;

class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

}  // namespace

void initialize_benchmark(std::vector<std::string> const& arguments) {
  static std::vector<std::string> texts;  // Google Benchmark keeps a pointer to the first
  texts = {"ddproxy"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(texts.size());
  const auto repeats = [](std::string const& text) { return text.starts_with("--benchmark_repetitions"); };
  if (std::ranges::any_of(texts, repeats) || std::getenv("BENCHMARK_REPETITIONS"))
    throw std::invalid_argument(
        "--benchmark_repetitions: a repeated sample would replace the one before; give [sweep] samples");
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1)
    throw std::invalid_argument(fmt::format("Google Benchmark does not know '{}' (after --)", argv[1]));
  arguments_given = !arguments.empty();
  benchmark::AddCustomContext("ddproxy_build_type", build_type);  // the library speaks only of its own
}

void drive(std::vector<PlannedSample> const& plan, std::function<double(std::size_t, int)> const& measure) {
  benchmark::ClearRegisteredBenchmarks();
  for (auto const& sample : plan) {
    auto const run = [&measure, sample](benchmark::State& state) {
      for (auto _ : state) state.SetIterationTime(measure(sample.item, sample.round));
    };
    benchmark::RegisterBenchmark(fmt::format("T/{}/round:{}", sample.name, sample.round).c_str(), run)
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  SilentReporter silent;
  if (arguments_given)
    benchmark::RunSpecifiedBenchmarks();
  else
    benchmark::RunSpecifiedBenchmarks(&silent);
}

}  // namespace ddproxy
