// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ctest/fence_watch.hpp"
#include "miniapp/compute/kernel_backward.hpp"

// On a device the kernels are asynchronous: in a backward pass the host waits only for its end.
namespace ddproxy {
namespace {

bool has_seen(std::string const& name) {
  return std::ranges::count(FenceWatch::seen(), name) > 0;
}

struct Fences : testing::Test {
  model::Shape shape = model::find_preset("tiny");
  model::BackwardPass pass = model::backward_pass(shape);
  kernels::Floats arena{"arena", static_cast<std::size_t>(model::parameters(pass))};
  KernelBackward backward{shape, pass, {2, 24}, 42, 0, arena};

  void run_all() {
    for (std::size_t i = 0; i < backward.operations(); ++i) backward.run(i);
  }
};

TEST_F(Fences, ABackwardPassFencesOnlyAtItsEnd) {
  run_all();  // the first run makes allocations that later runs use again
  const FenceWatch watch;
  run_all();
  EXPECT_EQ(watch.seen(), std::vector<std::string>());
  backward.fence();
  EXPECT_EQ(watch.seen(), std::vector<std::string>{"ComputeLane"});
}

TEST_F(Fences, APlantedFenceIsSeen) {
  const FenceWatch watch;
  backward.run(0);
  Kokkos::fence("planted");
  EXPECT_TRUE(has_seen("planted"));
}

TEST_F(Fences, APlantedCopyAndAllocationAreSeen) {
  const FenceWatch watch;
  const kernels::Floats planted("planted", 1);
  Kokkos::deep_copy(arena, 0.0F);
  EXPECT_TRUE(has_seen("allocation of planted"));
  EXPECT_GT(watch.seen().size(), 1U);
}

}  // namespace
}  // namespace ddproxy
