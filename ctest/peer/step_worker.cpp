// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "ctest/bench/step_slice.hpp"
#include "kernels/gemm/gemm.hpp"

// step_worker PRESET LAYERS VOCABULARY TOKENS: the counterpart of torch_step_worker.py. First prints a JSON
// object that describes the model; torch_step_worker.py builds the same model from it. Then, for each line on
// standard input, runs one whole step of one sequence. Prints the elapsed seconds of forward, backward and
// update, the processor seconds of these three phases, and the loss.
namespace ddproxy {
namespace {

char const* truth(bool value) {
  return value ? "true" : "false";
}

void print_model(model::Shape const& s, std::int64_t tokens, std::int64_t parameters) {
  const auto number = [](std::int64_t n) { return static_cast<long long>(n); };
  std::printf("{\"products\": \"%s\", \"parameters\": %lld, \"tokens\": %lld, \"layers\": %lld, ",
              kernels::gemm_backend().c_str(), number(parameters), number(tokens), number(s.layers));
  std::printf("\"d\": %lld, \"heads\": %lld, \"kv_heads\": %lld, \"ff\": %lld, \"vocabulary\": %lld, ",
              number(s.d_model), number(s.heads), number(s.kv_heads > 0 ? s.kv_heads : s.heads),
              number(s.d_ff), number(s.vocabulary));
  std::printf("\"context\": %lld, \"tied\": %s, \"llama\": %s, \"theta\": %.17g}\n", number(s.context),
              truth(s.tied), truth(s.positions == model::Positions::rope), s.rope_theta);
  std::fflush(stdout);
}

void run_one(bench::StepSlice& slice) {
  const auto [elapsed, processor] = slice.run();
  std::printf("%.9f %.9f %.9f %.9f %.9f %.9f %.9g\n", elapsed.forward, elapsed.backward, elapsed.update,
              processor.forward, processor.backward, processor.update, slice.loss());
  std::fflush(stdout);
}

int work(char** arguments) {
  const model::Shape shape =
      bench::slice_of(arguments[1], std::atoll(arguments[2]), std::atoll(arguments[3]));
  const std::int64_t tokens = std::atoll(arguments[4]);
  bench::StepSlice slice(shape, {1, tokens});
  print_model(shape, tokens, slice.parameters());
  for (std::string line; std::getline(std::cin, line);) run_one(slice);
  return 0;
}

}  // namespace
}  // namespace ddproxy

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: step_worker PRESET LAYERS VOCABULARY TOKENS\n");
    return 2;
  }
  const Kokkos::ScopeGuard kokkos;
  try {
    return ddproxy::work(argv);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "step_worker: %s\n", error.what());
    return 2;
  }
}
