// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/gemm/gemm.hpp"
#include "step_slice.hpp"

// Measures whole steps of models with few layers on one rank: forward, backward and update. The counters that
// end in _s are the least seconds of each phase and of the step. docs/measurements/kernels.md compares the
// steps with those of PyTorch.

namespace ddproxy::bench {
namespace {

struct Case {
  char const* preset;
  std::int64_t layers, vocabulary, tokens;
};

constexpr Case cases[] = {{"tiny", 2, 256, 32},         {"gpt2-large", 2, 8192, 64},
                          {"gpt2-large", 2, 8192, 256}, {"gpt2-large", 2, 8192, 1024},
                          {"llama3-8b", 1, 4096, 64},   {"llama3-8b", 1, 4096, 256}};

std::string name_of(Case const& c) {
  return "step of " + std::string(c.preset) + "/layers " + std::to_string(c.layers) + "/vocabulary " +
         std::to_string(c.vocabulary) + "/" + std::to_string(c.tokens);
}

void keep_least(double& least, double seconds) {
  least = std::min(least, seconds);
}

void run_steps(benchmark::State& state, Case const& c) {
  StepSlice slice(slice_of(c.preset, c.layers, c.vocabulary), {1, c.tokens});
  slice.run();  // touches all memory for the first time
  constexpr double huge = std::numeric_limits<double>::max();
  PhaseSeconds least{huge, huge, huge};
  double step = huge;
  for (auto _ : state) {
    const PhaseSeconds seconds = slice.run().elapsed;
    state.SetIterationTime(seconds.step());
    keep_least(least.forward, seconds.forward);
    keep_least(least.backward, seconds.backward);
    keep_least(least.update, seconds.update);
    keep_least(step, seconds.step());
  }
  state.counters["forward_s"] = least.forward;
  state.counters["backward_s"] = least.backward;
  state.counters["update_s"] = least.update;
  state.counters["step_s"] = step;
  state.counters["tokens/s"] = static_cast<double>(c.tokens) / step;
  state.counters["parameters"] = static_cast<double>(slice.parameters());
  state.counters["loss"] = slice.loss();
}

void register_all() {
  for (auto const& c : cases)
    benchmark::RegisterBenchmark(name_of(c).c_str(), run_steps, c)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(5);
}

}  // namespace
}  // namespace ddproxy::bench

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("products", ddproxy::kernels::gemm_backend());
  benchmark::AddCustomContext("threads", std::to_string(ddproxy::kernels::Space().concurrency()));
  ddproxy::bench::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
