// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/blas_advice.hpp"

#include <gtest/gtest.h>

namespace ddproxy::kernels {
namespace {

constexpr VectorUnits haswell{false, false}, zen4{true, true}, full_width{true, false};

TEST(OpenblasAdvice, NamesTheCureWhereTheChoiceWasMeasuredToBeSlow) {
  EXPECT_NE(openblas_advice("Haswell", full_width).find("OPENBLAS_CORETYPE=SKYLAKEX"), std::string::npos);
  EXPECT_NE(openblas_advice("Cooperlake", zen4).find("OPENBLAS_CORETYPE=HASWELL"), std::string::npos);
}

TEST(OpenblasAdvice, TheCureIsTheFasterCoreType) {
  EXPECT_EQ(faster_core_type("Haswell", full_width), "SKYLAKEX");
  EXPECT_EQ(faster_core_type("SkylakeX", zen4), "HASWELL");
  EXPECT_EQ(faster_core_type("SkylakeX", full_width), "");
  EXPECT_EQ(faster_core_type("Haswell", haswell), "");
}

TEST(OpenblasAdvice, IsSilentElsewhere) {
  for (auto const& core : {"SkylakeX", "Cooperlake", "SapphireRapids"})  // the names that OpenBLAS uses
    EXPECT_EQ(openblas_advice(core, full_width), "") << core;
  EXPECT_EQ(openblas_advice("Haswell", zen4), "");
  EXPECT_EQ(openblas_advice("Zen", zen4), "");
  EXPECT_EQ(openblas_advice("Haswell", haswell), "");
}

}  // namespace
}  // namespace ddproxy::kernels
