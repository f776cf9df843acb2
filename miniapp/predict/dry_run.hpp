// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "miniapp/input/cases.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/input/options/options.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// The number of ranks that the descriptions assume for a run with real all-reduces.
inline constexpr int likely_ranks = 2;

/// Returns a text for people that says what a run of this input would do. It has the gradients, the buckets
/// of each case (docs/glossary.md), the memory, and the duration if the costs are known. Throws what
/// check_can_run() (miniapp/input/config.hpp) throws.
std::string describe_plan(Config const& config, Workload const& workload);

/// Describes what `ddproxy layers` would do: the operations and the memory. Throws what check_can_run()
/// throws.
std::string describe_layers_plan(Config const& config, Workload const& workload);

/// Describes in the same way what `ddproxy step` would do. Throws what check_can_run(), check_can_step(),
/// check_sharding() (miniapp/input/step_strategy.hpp) and check_units() (miniapp/input/unit_memory.hpp)
/// throw. This function is in dry_run_step.cpp.
std::string describe_step_plan(Config const& config, Workload const& workload);

/// Describes what `ddproxy collectives` or `allreduce` would do: the collectives, the sizes and the memory.
/// Throws what check_can_run() throws. This function is in dry_run_collectives.cpp.
std::string describe_collectives_plan(Options const& options, Config const& config, Workload const& workload);

/// Returns the lines about the memory of a run that measures `cases`: the result of describe_device_memory()
/// or of describe_host_memory(), and describe_buffers(). `scattered` has the same meaning as in
/// pass_buffers() (miniapp/input/buffer_list.hpp).
std::string describe_memory(Config const& config, Workload const& workload, std::vector<Case> const& cases,
                            std::size_t scattered = 0);

/// Returns the line with the buffers of a rank that have at least 0.01 GiB, rounded. If the arrays are in
/// device memory, the result has a line for each kind of memory. A line is left out if all its buffers are
/// smaller.
std::string describe_buffers(RankBuffers const& buffers);

/// Bytes of host memory with which a run compares gradients (miniapp/input/comparison_buffers.hpp).
struct ComparisonMemory {
  double precision = 0;  ///< bytes of BufferUse::precisions
  double wire = 0;       ///< bytes of BufferUse::wire_formats
};

/// Returns the lines about the memory of a rank whose arrays are in device memory. `need.device` must have a
/// value. The second line has the host memory, `need.host`, and says what it is for: to compare gradients
/// (`compared.precision`), to pass device memory to MPI, or both. The line is left out if the rank needs no
/// host memory for either purpose. It is also left out if the rank needs `compared.wire` only, which is
/// 3 MiB.
std::string describe_device_memory(Config const& config, MemoryNeed const& need,
                                   ComparisonMemory compared = {});

/// Returns the line with the model and its gradients. The texts of the first four functions begin with this
/// line.
std::string describe_model(Config const& config, Workload const& workload);

/// Returns the line with the number of ranks. In a replay this number is [allreduce] ranks. Otherwise it is
/// `ranks`, which is an assumption, because a dry run starts no ranks.
std::string describe_ranks(Config const& config, int ranks);

/// Returns for example "buckets, the largest has 25.0 MiB", to stand after the number of buckets.
std::string buckets_text(model::Plan const& plan);

/// Returns the line about the host memory that each process of the run needs: `bytes`. A twin is one process
/// that neither computes nor reduces. For a twin the line says that the program itself needs this memory, and
/// that the program only simulates the ranks.
std::string describe_host_memory(Config const& config, double bytes);

}  // namespace ddproxy
