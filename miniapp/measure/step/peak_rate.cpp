// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/peak_rate.hpp"

#include <Kokkos_Random.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>

#include "kernels/gemm/gemm.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/errors/clock.hpp"

namespace ddproxy {
namespace {

constexpr int products = 5;
// Large enough that the start of a product and the transfer of its operands take hardly any of its time.
constexpr kernels::Index order = on_device ? 4096 : 1024;
constexpr double flops = 2.0 * order * order * order;

// Random numbers, because a GPU needs less power for zeros and then runs at a higher clock.
kernels::Floats random_matrix(std::string const& label, std::uint64_t seed) {
  kernels::Floats matrix(label, static_cast<std::size_t>(order * order));
  Kokkos::Random_XorShift64_Pool<kernels::Space> generator(seed);
  Kokkos::fill_random(matrix, generator, -1.0F, 1.0F);
  return matrix;
}

double fastest_product() {
  const auto a = random_matrix("peak a", 1), b = random_matrix("peak b", 2), c = random_matrix("peak c", 3);
  const kernels::Space exec;
  double seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= products; ++i) {  // the first product warms up
    exec.fence("before a product");
    const auto start = Clock::now();
    kernels::gemm(exec, {order, order, order}, 1, {a.data(), order}, {b.data(), order}, 0, {c.data(), order});
    exec.fence("after a product");
    if (i > 0) seconds = std::min(seconds, seconds_between(start, Clock::now()));
  }
  return flops / seconds;
}

double rate_of_this_rank() try {
  return fastest_product();
} catch (std::exception const&) {  // no memory for the matrices; the run goes on without this figure
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double measured_peak(Runtime const& runtime) {
  runtime.barrier();
  return runtime.sum(rate_of_this_rank()) / runtime.ranks();
}

}  // namespace ddproxy
