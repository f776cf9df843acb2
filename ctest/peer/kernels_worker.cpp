// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

#include "kernels/gemm/gemm.hpp"
#include "miniapp/compute/kernel_backward.hpp"

// kernels_worker LAYERS VOCABULARY TOKENS [PRECISION [BATCH]]: the counterpart of torch_worker.py. The model
// is GPT-2-large with LAYERS layers and VOCABULARY tokens in its vocabulary. First prints a line that names
// the library of the matrix products. Then, for each line on standard input, runs one backward pass and
// prints its elapsed and its processor seconds. PRECISION is that of the matrix products: fp32 (the default),
// tf32 or bf16. BATCH is the number of sequences of TOKENS tokens (default 1).
int main(int argc, char** argv) {
  using namespace ddproxy;
  if (argc < 4) return 2;
  const Kokkos::ScopeGuard kokkos;
  const std::string precision = argc > 4 ? argv[4] : "fp32";
  const int batch = argc > 5 ? std::atoi(argv[5]) : 1;
  if (precision != "fp32")
    kernels::set_matrix_precision(precision == "tf32" ? kernels::MatrixPrecision::tf32
                                                      : kernels::MatrixPrecision::bf16);
  model::Shape shape = model::find_preset("gpt2-large");
  shape.layers = std::atoi(argv[1]);
  shape.vocabulary = std::atoi(argv[2]);
  const auto pass = model::backward_pass(shape);
  const kernels::Floats arena("arena", static_cast<std::size_t>(model::parameters(pass)));
  KernelBackward backward(shape, pass, {batch, std::atoi(argv[3])}, 1, 0, arena);
  std::printf("%s\n", kernels::gemm_backend().c_str());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = Clock::now();
    const std::clock_t processor_start = std::clock();
    for (std::size_t i = 0; i < backward.operations(); ++i) backward.run(i);
    backward.fence();
    const auto end = Clock::now();
    const double processor = static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
    std::printf("%.9f %.9f\n", std::chrono::duration<double>(end - start).count(), processor);
    std::fflush(stdout);
  }
}
