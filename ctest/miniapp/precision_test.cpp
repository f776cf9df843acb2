// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/precision.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ddproxy {
namespace {

// Two gradients: ones, and threes of which one is off.
TEST(PrecisionErrors, AreEuclideanAndOfEachGradient) {
  model::BackwardPass pass;
  pass.gradients.resize(2);
  pass.gradients[0].numel = 100;
  pass.gradients[1].numel = 16;
  const kernels::HostFloats fp32("fp32", 116);
  for (std::size_t i = 0; i < 116; ++i) fp32(i) = i < 100 ? 1.0F : 3.0F;
  const kernels::Floats other("other", 116);
  EXPECT_EQ(compare_gradients(pass, fp32, other).rms, (std::vector<double>{1, 1}));  // all zero
  const kernels::HostFloats one_off("one off", 116);
  Kokkos::deep_copy(one_off, fp32);
  one_off(107) = 4.0F;
  Kokkos::deep_copy(other, one_off);
  const auto errors = compare_gradients(pass, fp32, other);
  ASSERT_EQ(errors.rms.size(), 2U);
  EXPECT_EQ(errors.rms[0], 0);
  EXPECT_NEAR(errors.rms[1], 1 / 12.0, 1e-12);
  EXPECT_NEAR(errors.total_rms, 1 / std::sqrt(244.0), 1e-12);
  EXPECT_EQ(describe({{0.01}, 0.0123}, Precision::bf16),
            "bf16 products: gradients differ from those of fp32 products by 0.012 RMS\n");
}

}  // namespace
}  // namespace ddproxy
