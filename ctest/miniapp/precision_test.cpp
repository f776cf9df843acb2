// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/verification/precision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/base/types.hpp"

namespace ddproxy {
namespace {

// Two gradients: one of ones, and one of threes with a wrong element.
TEST(PrecisionErrors, AreRelativeNormsForEachGradientAndForAllGradients) {
  model::BackwardPass pass;
  pass.gradients.push_back({"a", "l", 100, 0});
  pass.gradients.push_back({"b", "l", 16, 0});
  const kernels::HostFloats fp32("fp32", 116);
  for (std::size_t i = 0; i < 116; ++i) fp32(i) = i < 100 ? 1.0F : 3.0F;
  const kernels::Floats other("other", 116);
  EXPECT_EQ(compare_gradients(pass, kernels::elements_of(fp32), kernels::elements_of(other)).rms,
            (std::vector<double>{1, 1}));  // all elements of `other` are zero
  const kernels::HostFloats one_off("one off", 116);
  Kokkos::deep_copy(one_off, fp32);
  one_off(107) = 4.0F;
  Kokkos::deep_copy(other, one_off);
  const auto errors = compare_gradients(pass, kernels::elements_of(fp32), kernels::elements_of(other));
  ASSERT_EQ(errors.rms.size(), 2U);
  EXPECT_EQ(errors.rms[0], 0);
  EXPECT_NEAR(errors.rms[1], 1 / 12.0, 1e-12);
  EXPECT_NEAR(errors.total_rms, 1 / std::sqrt(244.0), 1e-12);
  EXPECT_EQ(describe({{0.01}, 0.0123}, Precision::bf16),
            "matrix products in bf16: gradients differ from those of fp32 products by 0.012 (norm of the "
            "difference / norm of the fp32 gradients)\n");
}

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct PrecisionBound : testing::Test {
  model::BackwardPass pass;
  PrecisionBound() {
    for (char const* name : {"a", "b"}) pass.gradients.push_back({name, "l", 4, 0});
  }
  std::string judge(PrecisionErrors const& errors, Precision precision) const {
    return beyond_bound(errors, precision, pass);
  }
};

TEST_F(PrecisionBound, ErrorsWithinTheBoundAreAccepted) {
  EXPECT_EQ(judge({{0, 0}, 0}, Precision::tf32), "");
  EXPECT_EQ(judge({{0.9, 0.001}, 0.079}, Precision::tf32), "");  // a small gradient may be far off
  EXPECT_EQ(judge({{0.05, 0.35}, 0.299}, Precision::bf16), "");
}

TEST_F(PrecisionBound, TheWorstGradientIsNamedIfTheErrorIsBeyondTheBound) {
  EXPECT_EQ(
      judge({{0.01, 0.1}, 0.081}, Precision::tf32),
      "matrix products in tf32: the gradients of a real pass differ from those of fp32 products by 0.081 "
      "(norm of the difference / norm of the fp32 gradients), but the bound is 0.08; the gradient with the "
      "largest error is b (0.1)");
  EXPECT_EQ(
      judge({{0.4, 0.1}, 0.35}, Precision::bf16),
      "matrix products in bf16: the gradients of a real pass differ from those of fp32 products by 0.35 "
      "(norm of the difference / norm of the fp32 gradients), but the bound is 0.3; the gradient with the "
      "largest error is a (0.4)");
  EXPECT_NE(judge({{0, infinite}, infinite}, Precision::bf16).find("by inf (norm"), std::string::npos);
  EXPECT_NE(judge({{0, 0}, std::nan("")}, Precision::bf16), "");
}

// One gradient is right, the other ends with NaN.
TEST_F(PrecisionBound, NaNInEitherSetOfGradientsIsBeyondEveryBound) {
  const kernels::HostFloats fine("fine", 8), broken("broken", 8);
  Kokkos::deep_copy(fine, 1.0F);
  Kokkos::deep_copy(broken, fine);
  broken(7) = nan;
  for (auto const& [fp32, host] :
       {std::pair{fine, broken}, std::pair{broken, fine}, std::pair{broken, broken}}) {
    const kernels::Floats gradients("gradients", 8);
    Kokkos::deep_copy(gradients, host);
    const auto errors = compare_gradients(pass, kernels::elements_of(fp32), kernels::elements_of(gradients));
    EXPECT_EQ(errors.rms, (std::vector<double>{0, infinite}));
    EXPECT_EQ(errors.total_rms, infinite);
    EXPECT_NE(judge(errors, Precision::bf16).find("the gradient with the largest error is b (inf)"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace ddproxy
