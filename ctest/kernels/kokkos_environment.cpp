// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

namespace {

/// Kokkos for as long as the tests run, started after GoogleTest has read its flags.
class KokkosEnvironment : public testing::Environment {
  void SetUp() override { Kokkos::initialize(); }
  void TearDown() override { Kokkos::finalize(); }
};

auto* const environment = testing::AddGlobalTestEnvironment(new KokkosEnvironment);

}  // namespace
