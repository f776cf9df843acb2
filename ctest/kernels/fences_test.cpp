// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "miniapp/kernel_backward.hpp"

// The kernels are asynchronous on a device: nothing in a backward pass makes the host wait but what ends it.
// Fences, deep copies and allocations are counted as Kokkos tells its tools of them; a host's BLAS reads at
// once what was enqueued before, so there the fences before its products are known by name and left out.
namespace ddproxy {
namespace {

namespace tools = Kokkos::Tools::Experimental;

std::vector<std::string> seen;

void note(std::string const& what) {
  if (kernels::on_device || !what.starts_with("gemm")) seen.push_back(what);
}

/// Notes what would stop the host for as long as it lives.
struct Watch {
  Watch() : before(tools::get_callbacks()) {
    seen.clear();
    tools::set_begin_fence_callback([](char const* name, std::uint32_t, std::uint64_t*) { note(name); });
    tools::set_begin_deep_copy_callback([](Kokkos_Profiling_SpaceHandle, char const* to, void const*,
                                           Kokkos_Profiling_SpaceHandle, char const*, void const*,
                                           std::uint64_t) { note(std::string("copy to ") + to); });
    tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, char const* name, void const*,
                                         std::uint64_t) { note(std::string("allocation of ") + name); });
  }
  ~Watch() { tools::set_callbacks(before); }
  tools::EventSet before;
};

struct Fences : testing::Test {
  model::Shape shape = model::find_preset("tiny");
  model::BackwardPass pass = model::backward_pass(shape);
  kernels::Floats arena{"arena", static_cast<std::size_t>(model::parameters(pass))};
  KernelBackward backward{shape, pass, {2, 24}, 42, 0, arena};

  void run_all() {
    for (std::size_t i = 0; i < backward.operations(); ++i) backward.run(i);
  }
};

TEST_F(Fences, ABackwardPassHasOnlyTheOneThatEndsIt) {
  run_all();  // what is made on first use
  const Watch watch;
  run_all();
  EXPECT_EQ(seen, std::vector<std::string>());
  backward.fence();
  EXPECT_EQ(seen, std::vector<std::string>{"KernelBackward"});
}

TEST_F(Fences, APlantedOneIsSeen) {
  const Watch watch;
  backward.run(0);
  Kokkos::fence("planted");
  EXPECT_NE(std::find(seen.begin(), seen.end(), "planted"), seen.end());
}

TEST_F(Fences, APlantedCopyAndAllocationAreSeen) {
  const Watch watch;
  const kernels::Floats planted("planted", 1);
  Kokkos::deep_copy(arena, 0.0F);
  EXPECT_NE(std::find(seen.begin(), seen.end(), "allocation of planted"), seen.end());
  EXPECT_GT(seen.size(), 1U);
}

}  // namespace
}  // namespace ddproxy
