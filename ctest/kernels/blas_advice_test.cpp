// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/blas_advice.hpp"

#include <gtest/gtest.h>

namespace ddproxy::kernels {
namespace {

constexpr VectorUnits haswell{false, false}, zen4{true, true}, full_width{true, false};

TEST(OpenblasAdvice, NamesTheFasterCoreTypeIfTheChoiceIsSlow) {
  EXPECT_NE(openblas_advice("Haswell", full_width, nullptr).find("set OPENBLAS_CORETYPE=SKYLAKEX"),
            std::string::npos);
  EXPECT_NE(openblas_advice("Cooperlake", zen4, nullptr).find("set OPENBLAS_CORETYPE=HASWELL"),
            std::string::npos);
}

TEST(OpenblasAdvice, SaysThatTheUserChoseTheCoreType) {
  EXPECT_EQ(openblas_advice("Haswell", full_width, "Haswell"),
            "OPENBLAS_CORETYPE=Haswell is set, but this processor has AVX-512; unset it, or set "
            "OPENBLAS_CORETYPE=SKYLAKEX, which may be up to twice as fast");
  EXPECT_EQ(openblas_advice("SkylakeX", full_width, "SKYLAKEX"), "");
}

TEST(OpenblasAdvice, TheFasterCoreTypeFitsTheVectorUnits) {
  EXPECT_EQ(faster_core_type("Haswell", full_width), "SKYLAKEX");
  EXPECT_EQ(faster_core_type("SkylakeX", zen4), "HASWELL");
  EXPECT_EQ(faster_core_type("SkylakeX", full_width), "");
  EXPECT_EQ(faster_core_type("Haswell", haswell), "");
}

TEST(OpenblasAdvice, IsEmptyIfNoFasterCoreTypeIsKnown) {
  for (auto const& core : {"SkylakeX", "Cooperlake", "SapphireRapids"})  // the names that OpenBLAS uses
    EXPECT_EQ(openblas_advice(core, full_width, nullptr), "") << core;
  EXPECT_EQ(openblas_advice("Haswell", zen4, nullptr), "");
  EXPECT_EQ(openblas_advice("Zen", zen4, nullptr), "");
  EXPECT_EQ(openblas_advice("Haswell", haswell, nullptr), "");
}

TEST(ThreadsAdvice, SaysThatMostThreadsAreIdle) {
  constexpr int no_threads = 0, posix_threads = 1, openmp = 2;
  EXPECT_EQ(threads_advice(no_threads, 8),
            "this OpenBLAS has no threads, so each matrix product uses one of the 8 threads; build with an "
            "OpenBLAS for OpenMP (Debian: libopenblas-openmp-dev, Spack: openblas threads=openmp)");
  EXPECT_EQ(threads_advice(no_threads, 1), "");
  EXPECT_EQ(threads_advice(posix_threads, 8), "");
  EXPECT_EQ(threads_advice(openmp, 8), "");
}

TEST(JoinAdvice, JoinsTwoTextsInOneLine) {
  EXPECT_EQ(join_advice("first", "second"), "first; second");
  EXPECT_EQ(join_advice("first", ""), "first");
  EXPECT_EQ(join_advice("", "second"), "second");
  EXPECT_EQ(join_advice("", ""), "");
}

}  // namespace
}  // namespace ddproxy::kernels
