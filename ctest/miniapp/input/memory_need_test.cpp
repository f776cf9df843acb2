// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/memory_need.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ctest/miniapp/input/input_file.hpp"
#include "miniapp/input/comparison_buffers.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/predict/dry_run.hpp"

namespace ddproxy {
namespace {

Config tiny(std::string const& sections) {
  const Folder folder;
  return read_config(folder.file("tiny.toml", "[model]\npreset = \"tiny\"\n" + sections));
}

MemoryNeed need_of_pass(Config const& config, Workload const& workload, int ranks, MemoryKind arrays) {
  return memory_need(config, pass_buffers(config, workload, 1, ranks, 0, arrays));
}

double host_need(Config const& config, Workload const& workload, int ranks) {
  return need_of_pass(config, workload, ranks, MemoryKind::host).host;
}

double device_need(Config const& config, Workload const& workload, int ranks) {
  return need_of_pass(config, workload, ranks, MemoryKind::device).device.value();
}

// Returns the host memory of a rank whose arrays are in device memory.
double host_need_beside_device(Config const& config, Workload const& workload, int ranks) {
  return need_of_pass(config, workload, ranks, MemoryKind::device).host;
}

TEST(PassMemory, HoldsARoundedMessageOfAllGradientsWithNccl) {
  const auto fp32 = tiny("[allreduce]\nbackend = \"nccl\"\n");
  const auto bf16 = tiny("[allreduce]\nbackend = \"nccl\"\nwire = \"bf16\"\n");
  const auto workload = make_workload(fp32);
  EXPECT_EQ(host_need(bf16, make_workload(bf16), 2) - host_need(fp32, workload, 2),
            static_cast<double>(workload.bytes()) / 2 + wire_error_memory(bf16));
}

// During a call Open MPI allocates 1.5 times the largest piece. Meanwhile the heap of the other thread keeps
// as much freed memory from its own calls.
TEST(PassMemory, HoldsTheTemporariesOfMpiInTwoHeaps) {
  const auto config = tiny("[allreduce]\nbackend = \"mpi\"\npiece_mib = 0.0625\n");
  const auto workload = make_workload(config);
  EXPECT_EQ(host_need(config, workload, 2) - host_need(config, workload, 1), 3 * 65536);
}

// Returns the bytes that the kernels of a backward pass need in addition to the gradients.
double bytes_of_kernels(Config const& config) {
  const auto places = backward_places(config.shape, config.tokens);
  const auto elements = static_cast<std::int64_t>(places.elements - places.leading) +
                        padded_elements(work_buffers(config.shape, config.tokens, 1)) +
                        token_elements(config.tokens);
  return static_cast<double>(elements) * gradient_element_bytes;
}

TEST(PassMemory, OnADeviceHoldsArraysAndLibrariesButNothingOfMpi) {
  const auto kernels = tiny("[allreduce]\nbackend = \"mpi\"\n");
  const auto workload = make_workload(kernels);
  const auto gradients = workload.bytes();
  const double arrays = bytes_of_kernels(kernels) + static_cast<double>(gradients);
  EXPECT_EQ(device_need(kernels, workload, 2), arrays + blas_device_memory);
  const auto packed = tiny("[allreduce]\nbackend = \"mpi\"\nwire = \"bf16\"\n");  // the host rounds
  EXPECT_EQ(device_need(packed, make_workload(packed), 2), arrays + blas_device_memory);
  EXPECT_GT(host_need(kernels, workload, 2), arrays + static_cast<double>(1 << 20));

  const auto copied = tiny("[allreduce]\nbackend = \"mpi\"\ncopies = \"in\"\n");
  EXPECT_EQ(device_need(copied, workload, 2),
            arrays + blas_device_memory + static_cast<double>(workload.bytes()));
  const auto bf16 = tiny("[allreduce]\nbackend = \"nccl\"\nwire = \"bf16\"\n");
  EXPECT_EQ(device_need(bf16, make_workload(bf16), 2),
            arrays + blas_device_memory + static_cast<double>(workload.bytes()) / 2 + nccl_device_memory);
}

// The bf16 copies have the sizes of the largest x, the largest weights and the largest dy. x of the head and
// of the linear layers is [N, 64] or [N, 256]. The weights are [257, 64] (the token table) and [64, 256]. dy
// of the head is [N, 257]. In the copies 257 is padded to 264.
TEST(PassMemory, OnADeviceHoldsBf16CopiesOfTheOperands) {
  auto fp32 = tiny("[step]\nbatch = 2\nsequence = 24\n");
  fp32.shape.vocabulary = 257;
  auto bf16 = fp32;
  bf16.precision = Precision::bf16;
  const auto workload = make_workload(fp32);
  ASSERT_EQ(fp32.shape.d_model, 64);
  ASSERT_EQ(fp32.shape.d_ff, 256);
  const double tokens = 2 * 24, left = tokens * 256, right = 264 * 64, kept = tokens * 264;
  EXPECT_EQ(device_need(bf16, workload, 2) - device_need(fp32, workload, 2), 2 * (left + right + kept));
  EXPECT_EQ(host_need(bf16, workload, 2), host_need(fp32, workload, 2));
}

// The lane of the gate copies no message: its wire format is fp32. In each of two heaps there is what MPI
// allocates: 1.5 times the largest piece. The largest piece has 16 MiB with the gate. Without the gate it has
// all gradients.
TEST(PassMemory, HoldsTheMessagesOfTheGate) {
  const auto gate = tiny("[allreduce]\nbackend = \"mpi\"\n[gate]\nallreduce_kib = [64, 65536]\n");
  const auto none = tiny("[allreduce]\nbackend = \"mpi\"\n");
  const auto workload = make_workload(none);
  constexpr double message = 1 << 26, piece = 1 << 24;
  const double temporaries = 3 * (piece - static_cast<double>(workload.bytes()));
  EXPECT_EQ(host_need(gate, workload, 2) - host_need(none, workload, 2), message + temporaries);
  EXPECT_EQ(host_need(gate, workload, 1), host_need(none, workload, 1));
  EXPECT_EQ(device_need(gate, workload, 2) - device_need(none, workload, 2), message);
}

constexpr double piece_bytes = 65536;  // bytes of `piece_mib = 0.0625`

// Returns the host memory of one of `ranks` ranks whose arrays are in device memory. `keys` belong to
// [allreduce].
double beside_device(std::string const& keys, int ranks = 2) {
  const auto config = tiny("[allreduce]\npiece_mib = 0.0625\n" + keys);
  return host_need_beside_device(config, make_workload(config), ranks);
}

// The host holds two pinned slots, and in each of two heaps what MPI allocates: 1.5 times a piece. In bf16 a
// piece has half as many bytes on the wire, and the engine has a message of this size. The arrays with which
// ddproxy compares reduced gradients are then larger than what MPI allocates, and take its place in one heap.
TEST(StagedMemory, HoldsTwoSlotsAndTheTemporariesOfMpi) {
  EXPECT_EQ(beside_device("backend = \"mpi\"\n"), (2 + 3) * piece_bytes);
  EXPECT_EQ(beside_device("backend = \"mpi\"\nbuffers = \"staged\"\n"), (2 + 3) * piece_bytes);
  EXPECT_EQ(beside_device("backend = \"mpi\"\nwire = \"bf16\"\n"),
            (2 + 0.5 + 0.75) * piece_bytes + WireErrorBuffers{}.bytes());
  EXPECT_EQ(beside_device("backend = \"mpi\"\n", 1), 2 * piece_bytes) << "one rank sends nothing";
}

TEST(StagedMemory, IsZeroIfMpiTakesDeviceMemoryOrIsNotUsed) {
  EXPECT_EQ(beside_device("backend = \"mpi\"\nbuffers = \"direct\"\n"), 0);
  EXPECT_EQ(beside_device("backend = \"nccl\"\n"), 0);
}

// Kernels compute, the all-reduces of the pass are replayed, and the gate measures real all-reduces.
TEST(StagedMemory, HoldsTheSlotsOfTheGate) {
  auto config = tiny("[allreduce]\nbackend = \"mpi\"\npiece_mib = 0.0625\n[gate]\nallreduce_kib = [64]\n");
  config.backend = Backend::replay;
  const auto workload = make_workload(config);
  EXPECT_EQ(host_need_beside_device(config, workload, 2), (2 + 3) * piece_bytes);
  config.gate.allreduce_kib.clear();
  EXPECT_EQ(host_need_beside_device(config, workload, 2), 0);
}

TEST(StagedMemory, HoldsTheSlotsOfEachLaneOfAStep) {
  const auto config = tiny("[allreduce]\nbackend = \"mpi\"\npiece_mib = 0.0625\n[shard]\nstage = \"fsdp\"\n");
  const auto workload = make_workload(config);
  const auto step = whole_step_of(config, step_to_run(config, workload), 2);
  auto const& graph = step.classes.front().graph;
  const auto lanes = step_lanes(config, workload, step_places(config, workload, graph), step, graph);
  ASSERT_EQ(lanes.size(), 2U);  // one of them is for the calibration
  const auto buffers = step_buffers(config, 0, lanes, 1, MemoryKind::device);
  EXPECT_EQ(memory_need(config, buffers).host, (2 * 2 + 1 + 3) * piece_bytes)
      << "one lane also has the result of a reduce-scatter";
}

TEST(PrecisionMemory, HoldsAllGradientsAndASecondCopyOfTheLargestGradient) {
  auto config = tiny("[allreduce]\nbackend = \"nccl\"\n");
  const auto workload = make_workload(config);
  EXPECT_EQ(precision_memory(config, workload), 0);
  config.precision = Precision::tf32;
  const auto largest = std::ranges::max(workload.gradient_bytes);
  EXPECT_EQ(precision_memory(config, workload), static_cast<double>(workload.bytes() + largest));
  EXPECT_EQ(host_need_beside_device(config, workload, 2), precision_memory(config, workload));
}

TEST(WireErrorMemory, HoldsThreeArraysIfRealGradientsAreRoundedForTheWire) {
  auto config = tiny("[allreduce]\nbackend = \"mpi\"\nwire = \"bf16\"\n");
  EXPECT_EQ(wire_error_memory(config), 3 << 20);
  config.backend = Backend::replay;
  EXPECT_EQ(wire_error_memory(config), 0) << "nothing is reduced";
  config.backend = Backend::nccl;
  EXPECT_EQ(wire_error_memory(config), 3 << 20);
  config.compute = ComputeMode::replay;
  EXPECT_EQ(wire_error_memory(config), 0) << "there are no real gradients";
  EXPECT_EQ(wire_error_memory(tiny("[allreduce]\nbackend = \"mpi\"\n")), 0) << "nothing is rounded";
}

// MPI allocates 1.5 times the 2 bytes of each element. MPI has freed this memory before the arrays of the
// comparison are allocated, so only the larger of the two counts.
TEST(WireErrorMemory, IsNotAddedToTheTemporariesOfMpi) {
  const auto config = tiny("[allreduce]\nbackend = \"mpi\"\nwire = \"bf16\"\n");
  const auto added = [&](std::size_t elements, int ranks) {
    auto buffers = step_buffers(config, 0, {{{.of_call = elements}, ranks}}, 1, MemoryKind::host);
    const double without = memory_need(config, buffers).host;
    buffers.rows.push_back({BufferUse::wire_formats, MemoryKind::host, wire_error_memory(config)});
    return memory_need(config, buffers).host - without;
  };
  EXPECT_EQ(added(std::size_t{1} << 21, 2), 0);
  EXPECT_EQ(added(std::size_t{1} << 20, 2), 0) << "both need 3 MiB";
  EXPECT_EQ(added(std::size_t{1} << 19, 2), 3 << 19);
  EXPECT_EQ(added(std::size_t{1} << 21, 1), 3 << 20) << "one rank sends nothing";
}

// One comparison measures the error of the wire format, the other one the error of the precision. The arrays
// of one are freed before the other one starts.
TEST(WireErrorMemory, IsNotAddedToThePrecisionMemory) {
  auto config = tiny("[allreduce]\nbackend = \"nccl\"\nwire = \"bf16\"\n");
  const auto workload = make_workload(config);
  const double arrays = wire_error_memory(config);
  EXPECT_EQ(host_need_beside_device(config, workload, 2), arrays);
  config.precision = Precision::tf32;
  EXPECT_EQ(host_need_beside_device(config, workload, 2),
            std::max(precision_memory(config, workload), arrays));
}

// A rank that neither computes nor reduces needs no device memory.
TEST(MemoryNeed, IncludesDeviceMemoryOnlyIfTheArraysAreOnADevice) {
  auto config = tiny("[allreduce]\nbackend = \"mpi\"\n");
  const auto workload = make_workload(config);
  EXPECT_EQ(needs_device_memory(config), builds_for_device());
  EXPECT_FALSE(need_of_pass(config, workload, 2, MemoryKind::host).device);
  EXPECT_TRUE(need_of_pass(config, workload, 2, MemoryKind::device).device);
  config.backend = Backend::replay;
  config.compute = ComputeMode::replay;
  EXPECT_FALSE(needs_device_memory(config));
  EXPECT_EQ(memory_of_arrays(config), MemoryKind::host);
}

// The results file is always in host memory. So it adds nothing to a need of device memory.
TEST(MemoryNeed, AddsTheResultsFileOnlyToHostMemory) {
  EXPECT_EQ(need_with_results_file({100, std::nullopt}, 7), 107);
  EXPECT_EQ(need_with_results_file({100, 50.0}, 7), 50);
}

TEST(DryRun, SaysWhyARankWithADeviceNeedsHostMemory) {
  auto config = tiny("[allreduce]\nbackend = \"mpi\"\n");
  config.precision = Precision::tf32;
  const std::string device = "memory: 2.00 GiB of device memory for each rank\n";
  EXPECT_EQ(describe_device_memory(config, {0, 2 * gib}), device);
  EXPECT_EQ(describe_device_memory(config, {gib / 4, 2 * gib}),
            device + "host memory: 0.25 GiB for each rank, to pass device memory to MPI\n");
  const std::string compares = "to compare the gradients of tf32 products with those of fp32";
  EXPECT_EQ(describe_device_memory(config, {gib, 2 * gib}, {.precision = gib}),
            device + "host memory: 1.00 GiB for each rank, " + compares + "\n");
  EXPECT_EQ(
      describe_device_memory(config, {1.5 * gib, 2 * gib}, {.precision = gib}),
      device + "host memory: 1.50 GiB for each rank, " + compares + " and to pass device memory to MPI\n");
  constexpr double mib = 1 << 20;
  EXPECT_EQ(describe_device_memory(config, {3 * mib, 2 * gib}, {.wire = 3 * mib}), device);
}

}  // namespace
}  // namespace ddproxy
