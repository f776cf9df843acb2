// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ctest/fence_watch.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/pass/run_step.hpp"

// Runs the backward pass with its all-reduces. The host must wait for the device only at the end of the
// backward pass and, with copies out of the buckets, at the end of the step. Only waits that Kokkos reports
// are seen.
namespace ddproxy {
namespace {

struct Way {
  Backend backend;
  WireFormat wire;
  model::CopyMode copies;
};

struct PipelineFences : testing::TestWithParam<Way> {
  const Config config = [] {
    Config config;
    config.shape = model::find_preset("tiny");
    config.tokens = {2, 24};
    config.backend = GetParam().backend;
    config.wire = GetParam().wire;
    config.copies = GetParam().copies;
    config.machine.bandwidth = 1e10;
    return config;
  }();

  void SetUp() override {
    if (GetParam().backend != Backend::nccl) return;
    if (nccl_version() == "none") GTEST_SKIP() << "this build has no NCCL";
    if (test_runtime->ranks_on_device() > 1) GTEST_SKIP() << "NCCL takes one rank a device";
  }
};

TEST_P(PipelineFences, OccurOnlyAtTheEndOfThePassAndOfTheStep) {
  const auto workload = make_workload(config);
  const auto context = make_rank_context(config, workload, *test_runtime);
  CompiledStep step =
      context.compile({model::strategy_named("bucketed"), 0.0625,
                       model::bucketed_plan(workload.gradient_bytes, std::vector<std::int64_t>{65536})});
  synchronise_clocks();
  run_step(step, *context.backward, *context.allreduce);  // the first run creates what later runs reuse
  const FenceWatch watch;
  run_step(step, *context.backward, *context.allreduce);
  const std::size_t ends = GetParam().copies == model::CopyMode::in_out ? 2 : 1;
  EXPECT_EQ(watch.seen(), std::vector<std::string>(ends, "ComputeLane")) << context.allreduce->description();
}

constexpr auto none = model::CopyMode::none, in_out = model::CopyMode::in_out;
INSTANTIATE_TEST_SUITE_P(Ways, PipelineFences,
                         testing::Values(Way{Backend::mpi, WireFormat::fp32, none},
                                         Way{Backend::mpi, WireFormat::bf16, none},
                                         Way{Backend::mpi, WireFormat::fp32, in_out},
                                         Way{Backend::nccl, WireFormat::fp32, none},
                                         Way{Backend::nccl, WireFormat::bf16, none},
                                         Way{Backend::nccl, WireFormat::fp32, in_out}));

}  // namespace
}  // namespace ddproxy
