// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/sweep/benchmark_driver.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <regex>
#include <stdexcept>

#include "miniapp/machine/build_info.hpp"

namespace ddproxy {
namespace {

bool arguments_given = false;

class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

std::string benchmark_name(std::string const& item, int round) {
  return fmt::format("T/{}/round:{}", item, round);
}

}  // namespace

void initialize_benchmark(std::vector<std::string> const& arguments) {
  static std::vector<std::string> texts;           // static: Google Benchmark keeps a pointer to texts[0]
  texts = {"ddproxy", "--benchmark_color=false"};  // no colors: under mpirun the output looks like a terminal
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(texts.size());
  const auto repeats = [](std::string const& text) { return text.starts_with("--benchmark_repetitions"); };
  if (std::ranges::any_of(texts, repeats) || std::getenv("BENCHMARK_REPETITIONS"))
    throw std::invalid_argument(
        "--benchmark_repetitions: a repeated sample would replace the one before; give [sweep] samples");
  const auto lists = [](std::string const& text) { return text.starts_with("--benchmark_list_tests"); };
  if (std::ranges::any_of(texts, lists))
    throw std::invalid_argument("--benchmark_list_tests is not supported; --dry-run lists the cases");
  if (std::getenv("BENCHMARK_FILTER"))
    throw std::invalid_argument("BENCHMARK_FILTER is set: unset it, and give -- --benchmark_filter=REGEX");
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1)
    throw std::invalid_argument(
        fmt::format("Google Benchmark does not know '{}', which was given after --; remove it", argv[1]));
  arguments_given = !arguments.empty();
  // Google Benchmark itself reports only how its own library was built.
  benchmark::AddCustomContext("ddproxy_build_type", build_type);
}

// Checks the filter before anything is measured. Google Benchmark itself applies the filter only in drive(),
// after the tables have been measured.
void require_some(std::vector<std::string> const& cases, int rounds) {
  std::string filter = benchmark::GetBenchmarkFilter();
  if (filter.empty() || filter == "all") return;
  const bool negative = filter.starts_with('-');
  try {
    const std::regex pattern(filter.substr(negative ? 1 : 0), std::regex::extended);
    for (auto const& name : cases)
      for (int round = 0; round < rounds; ++round)
        if (std::regex_search(benchmark_name(name, round) + "/iterations:1/manual_time", pattern) != negative)
          return;
  } catch (std::regex_error const& error) {
    throw std::invalid_argument(
        fmt::format("--benchmark_filter: '{}' is not a regular expression: {}", filter, error.what()));
  }
  throw std::invalid_argument(
      fmt::format("--benchmark_filter: '{}' leaves out every case; --dry-run lists the cases", filter));
}

bool has_own_arguments() {
  return arguments_given;
}

void drive(std::vector<PlannedSample> const& plan, std::function<double(std::size_t, int)> const& measure) {
  benchmark::ClearRegisteredBenchmarks();
  for (auto const& sample : plan) {
    auto const run = [&measure, sample](benchmark::State& state) {
      for (auto _ : state) state.SetIterationTime(measure(sample.item, sample.round));
    };
    benchmark::RegisterBenchmark(benchmark_name(sample.name, sample.round).c_str(), run)
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
