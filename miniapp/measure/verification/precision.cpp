// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/verification/precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/base/types.hpp"
#include "miniapp/input/comparison_buffers.hpp"
#include "miniapp/input/words.hpp"
#include "miniapp/measure/pass/product_precision.hpp"

namespace ddproxy {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Squares {
  double of_errors = 0, of_values = 0;
  // Returns infinity instead of NaN, because the maximum over the ranks would lose a NaN.
  double ratio() const {
    const double ratio = of_errors == 0 ? 0 : std::sqrt(of_errors / of_values);
    return std::isnan(ratio) ? infinite : ratio;
  }
};

Squares compare(float const* fp32, float const* other, std::size_t count) {
  Squares squares;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = fp32[i], error = other[i] - value;
    squares.of_errors += error * error;
    squares.of_values += value * value;
  }
  return squares;
}

void run_step(RankContext& context, Precision precision) {
  set_product_precision(precision);
  context.backward->renew();
  run_all(*context.backward);
}

}  // namespace

PrecisionErrors compare_gradients(model::BackwardPass const& pass, std::span<float const> fp32,
                                  std::span<float> gradients) {
  PrecisionErrors errors;
  Squares all;
  const kernels::HostFloats copy(Kokkos::view_alloc(Kokkos::WithoutInitializing, "gradient"),
                                 precision_buffers(pass).largest);
  for (auto const& gradient : pass.gradients) {
    const model::Slice slice = gradient.slice();
    Kokkos::deep_copy(Kokkos::subview(copy, std::pair{std::size_t{0}, slice.count}),
                      kernels::view_of(gradients.subspan(slice.offset, slice.count)));
    const auto squares = compare(fp32.data() + slice.offset, copy.data(), slice.count);
    errors.rms.push_back(squares.ratio());
    all.of_errors += squares.of_errors;
    all.of_values += squares.of_values;
  }
  errors.total_rms = all.ratio();
  return errors;
}

PrecisionErrors measure_precision_errors(RankContext& context) {
  run_step(context, Precision::fp32);
  const kernels::HostFloats fp32(Kokkos::view_alloc(Kokkos::WithoutInitializing, "fp32"),
                                 precision_buffers(context.workload.pass).gradients);
  Kokkos::deep_copy(fp32, kernels::view_of(context.gradients));
  run_step(context, context.config.precision);
  auto errors = compare_gradients(context.workload.pass, {fp32.data(), fp32.size()}, context.gradients);
  for (double& rms : errors.rms) rms = context.runtime.maximum(rms);
  errors.total_rms = context.runtime.maximum(errors.total_rms);
  return errors;
}

double precision_error_bound(Precision precision) {
  return precision == Precision::bf16 ? 0.3 : 0.08;
}

std::string beyond_bound(PrecisionErrors const& errors, Precision precision,
                         model::BackwardPass const& pass) {
  const double bound = precision_error_bound(precision);
  if (errors.total_rms <= bound) return "";  // NaN does not pass
  const auto worst = std::ranges::max_element(errors.rms) - errors.rms.begin();
  return fmt::format(
      "matrix products in {}: the gradients of a real pass differ from those of fp32 products by {:.3g} (norm of the difference / norm of the fp32 gradients), but the bound is {:.3g}; the gradient with the largest error is {} ({:.3g})",
      word_of(precision, precision_words), errors.total_rms, bound,
      pass.gradients[static_cast<std::size_t>(worst)].name, errors.rms[static_cast<std::size_t>(worst)]);
}

std::string describe(PrecisionErrors const& errors, Precision precision) {
  return fmt::format("matrix products in {}: gradients differ from those of fp32 products by {:.2g} (norm of the difference / norm of the fp32 gradients)\n",
                     word_of(precision, precision_words), errors.total_rms);
}

}  // namespace ddproxy
