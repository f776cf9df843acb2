// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "kernels/gemm/gemm.hpp"
#include "operations.hpp"
#include "peaks.hpp"
#include "short_model.hpp"

namespace ddproxy::bench {
namespace {

constexpr double c = d_model, d = d_model / heads, f = d_ff, v = vocabulary, p = parameters;
constexpr auto forward = Direction::forward;
constexpr auto backward = Direction::backward;

constexpr Operation operations[] = {
    {"embedding.wte forward", forward, run_tokens, 0, 0, 2 * c, 0, 0},
    {"embedding.wpe forward", forward, run_positions, 0, 0, 3 * c, 0, 0},
    {"embedding.wpe backward", backward, run_positions, 0, 0, c, context* c, 0},
    {"embedding.wte backward", backward, run_tokens, 0, 0, 3 * c, 0, 0},
    {"layernorm forward", forward, run_layernorm, 0, 0, 2 * c, 0, 0},
    {"layernorm backward", backward, run_layernorm, 0, 0, 4 * c, 0, 0},
    {"attn.c_attn forward", forward, run_linear, d_model, 3 * d_model, 0, 0, 0},
    {"attn.c_attn backward", backward, run_linear, d_model, 3 * d_model, 0, 0, 0},
    {"attn.sdpa forward", forward, run_attention, 0, 0, 4 * c, 0, 2 * 2 * c},
    {"attn.sdpa backward", backward, run_attention, 0, 0, 8 * c, 0, 5 * 2 * c},
    {"attn.c_proj forward", forward, run_linear, d_model, d_model, 0, 0, 0},
    {"attn.c_proj backward", backward, run_linear, d_model, d_model, 0, 0, 0},
    {"residual forward", forward, run_residual, 0, 0, 3 * c, 0, 0},
    {"residual backward", backward, run_residual, 0, 0, 3 * c, 0, 0},
    {"mlp.c_fc forward", forward, run_linear, d_model, d_ff, 0, 0, 0},
    {"mlp.c_fc backward", backward, run_linear, d_model, d_ff, 0, 0, 0},
    {"mlp.act forward", forward, run_gelu, 0, 0, 2 * f, 0, 0},
    {"mlp.act backward", backward, run_gelu, 0, 0, 3 * f, 0, 0},
    {"mlp.c_proj forward", forward, run_linear, d_ff, d_model, 0, 0, 0},
    {"mlp.c_proj backward", backward, run_linear, d_ff, d_model, 0, 0, 0},
    {"lm_head forward", forward, run_head, d_model, vocabulary, 0, 0, 0},
    {"lm_head backward", backward, run_head, d_model, vocabulary, 0, 0, 0},
    {"lm_head.loss forward", forward, run_cross_entropy, 0, 0, v, 0, 0},
    {"lm_head.loss backward", backward, run_cross_entropy, 0, 0, 2 * v, 0, 0},
    {"rmsnorm forward", forward, run_rmsnorm, 0, 0, 2 * c, 0, 0},
    {"rmsnorm backward", backward, run_rmsnorm, 0, 0, 4 * c, 0, 0},
    {"swiglu forward", forward, run_swiglu, 0, 0, 3 * f, 0, 0},
    {"swiglu backward", backward, run_swiglu, 0, 0, 5 * f, 0, 0},
    {"rope forward", forward, run_rope, 0, 0, 4 * c + d, 0, 0},
    {"rope backward", backward, run_rope, 0, 0, 4 * c + d, 0, 0},
    {"gradient norm", forward, run_norm, 0, 0, 0, 3 * p, 0},
    {"adamw update", forward, run_adamw, 0, 0, 0, 7 * p, 0, MemoryLoop::update},
};

constexpr Index token_counts[] = {64, 256, 1024};
constexpr Index vocabularies[] = {8192, vocabulary};

/// Keeps the arrays for one number of tokens. For another number it frees them and allocates new ones.
class ArrayCache {
 public:
  Arrays const& with(Index tokens) {
    if (!arrays_ || arrays_->tokens != tokens) {
      arrays_.reset();
      arrays_ = std::make_unique<Arrays>(tokens);
    }
    return *arrays_;
  }

 private:
  std::unique_ptr<Arrays> arrays_;
};

double seconds_of(Operation const& operation, Arrays const& arrays) {
  const kernels::Space exec;
  const auto start = Clock::now();
  operation.run(exec, arrays, operation);
  exec.fence();
  return seconds_since(start);
}

/// Returns the peak that bounds an operation: flops per second if the operation has matrix products,
/// otherwise bytes per second.
double peak_of(Operation const& operation, Peaks const& peaks) {
  constexpr int tries = 2;
  // The more often the loop runs, the faster is its fastest run. With few tries the peak would be too low: an
  // update takes about as long as the loop that bounds it, so the update could come out faster than the peak.
  constexpr int update_tries = 10;
  if (operation.flops(1) > 0) return peaks.flops(tries);
  return operation.bound == MemoryLoop::update ? peaks.update_bytes(update_tries) : peaks.bytes(tries);
}

/// Measures an operation. `fraction` is the time that the peak allows, divided by the least time taken. The
/// peak is measured just before and just after the operation, and the larger value is used.
void run_operation(benchmark::State& state, Operation const& operation, Index tokens, Peaks const& peaks,
                   std::shared_ptr<ArrayCache> const& cache) {
  Arrays const& arrays = cache->with(tokens);
  seconds_of(operation, arrays);
  const double before = peak_of(operation, peaks);
  double best = std::numeric_limits<double>::max();
  for (auto _ : state) {
    const double seconds = seconds_of(operation, arrays);
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
  }
  const double n = static_cast<double>(tokens), flops = operation.flops(n), bytes = operation.bytes(n);
  const double peak = std::max(before, peak_of(operation, peaks));
  state.counters["flops/s"] = flops / best;
  state.counters["bytes/s"] = bytes / best;
  state.counters["peak"] = peak;
  state.counters["fraction"] = (flops > 0 ? flops : bytes) / best / peak;
}

/// Measures the backward pass of two layers of GPT-2-large, and the matrix products of this pass alone, in
/// turns. `over_products` is the least time of the pass divided by the least time of the products. `words` is
/// the number of tokens in the vocabulary.
void run_short_model(benchmark::State& state, Index words, Index tokens) {
  ShortModel gpt2(2, words, tokens);
  gpt2.backward_seconds();
  gpt2.product_seconds();
  double best = std::numeric_limits<double>::max(), products = best;
  for (auto _ : state) {
    const double seconds = gpt2.backward_seconds();
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    products = std::min(products, gpt2.product_seconds());
  }
  state.counters["best_s"] = best;
  state.counters["products_s"] = products;
  state.counters["over_products"] = best / products;
}

void register_all(Peaks const& peaks) {
  const auto cache = std::make_shared<ArrayCache>();
  for (const Index tokens : token_counts)
    for (auto const& operation : operations)
      benchmark::RegisterBenchmark((std::string(operation.name) + "/" + std::to_string(tokens)).c_str(),
                                   run_operation, operation, tokens, peaks, cache)
          ->UseManualTime()
          ->MinTime(0.2);
  for (const Index words : vocabularies)
    for (const Index tokens : token_counts)
      benchmark::RegisterBenchmark(
          ("backward of 2 layers/vocabulary " + std::to_string(words) + "/" + std::to_string(tokens)).c_str(),
          run_short_model, words, tokens)
          ->UseManualTime()
          ->Iterations(5);
}

void add_context(Peaks const& peaks) {
  benchmark::AddCustomContext("products", kernels::gemm_backend());
  benchmark::AddCustomContext("advice", kernels::gemm_advice());
  benchmark::AddCustomContext("threads", std::to_string(kernels::Space().concurrency()));
  benchmark::AddCustomContext("peak sgemm GFLOP/s", std::to_string(peaks.flops(10) / 1e9));
  benchmark::AddCustomContext("peak triad GB/s", std::to_string(peaks.bytes(10) / 1e9));
  benchmark::AddCustomContext("peak update GB/s", std::to_string(peaks.update_bytes(10) / 1e9));
}

}  // namespace
}  // namespace ddproxy::bench

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const ddproxy::bench::Peaks peaks;
  ddproxy::bench::add_context(peaks);
  ddproxy::bench::register_all(peaks);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();  // they own arrays, which must be freed before Kokkos ends
  return 0;
}
