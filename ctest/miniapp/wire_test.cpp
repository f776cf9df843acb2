// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/wire.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/input/engine_buffers.hpp"

namespace ddproxy {
namespace {

int ranks() {
  return test_runtime->ranks();
}

TEST(Bf16, ConversionToFp32AndBackKeepsEveryValue) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto value = static_cast<Bf16>(bits);
    if (std::isnan(from_bf16(value)))
      EXPECT_TRUE(std::isnan(from_bf16(to_bf16(from_bf16(value)))));
    else
      EXPECT_EQ(to_bf16(from_bf16(value)), value);
  }
}

TEST(Bf16, RoundsToTheNearestAndTiesToEven) {
  const float step = std::ldexp(1.0F, -7);  // distance between neighbours in [1, 2)
  EXPECT_EQ(from_bf16(to_bf16(1 + 0.49F * step)), 1);
  EXPECT_EQ(from_bf16(to_bf16(1 + 0.51F * step)), 1 + step);
  EXPECT_EQ(from_bf16(to_bf16(1 + 0.5F * step)), 1);
  EXPECT_EQ(from_bf16(to_bf16(1 + 1.5F * step)), 1 + 2 * step);
  EXPECT_EQ(from_bf16(to_bf16(-1 - 1.5F * step)), -1 - 2 * step);
  EXPECT_EQ(from_bf16(to_bf16(256)), 256);
  EXPECT_TRUE(std::isinf(from_bf16(to_bf16(std::numeric_limits<float>::max()))));
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::bit_cast<float>(0x7F800001)))));  // bf16 drops its payload
}

TEST(WireErrorBound, IsOneRoundingForOneRankAndGrowsWithTheRanks) {
  EXPECT_NEAR(wire_error_bound(WireFormat::bf16, 1), std::ldexp(1.0, -8), 1e-6);
  EXPECT_NEAR(wire_error_bound(WireFormat::bf16, 8), 8 * std::ldexp(1.0, -8), 1e-3);
  EXPECT_NEAR(wire_error_bound(WireFormat::fp32, 2), 3 * std::ldexp(1.0, -24), 1e-12);
}

TEST(WireBytes, AreConvertedFromGradientBytesAndBack) {
  const model::AllreduceCost cost = [](std::int64_t bytes) { return static_cast<double>(bytes); };
  EXPECT_EQ(of_gradients(cost, WireFormat::fp32)(400), 400);
  EXPECT_EQ(of_gradients(cost, WireFormat::bf16)(400), 200);
  EXPECT_EQ(gradient_bytes(wire_bytes(400, WireFormat::bf16), WireFormat::bf16), 400);
}

// Returns numbers of both signs and many magnitudes, different for each `rank`.
std::vector<float> gradients_of(int rank, std::size_t count) {
  std::mt19937 engine(static_cast<unsigned>(rank) + 1);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    const float size = std::ldexp(1.0F, static_cast<int>(engine() % 40) - 30);
    values.push_back(size * (static_cast<float>(engine() % 20001) / 10000 - 1));
  }
  return values;
}

/// Returns the largest error of an average of the engine, relative to the mean |gradient| of the same element
/// over the ranks. The errors are computed in double.
double worst_error(WireFormat wire, std::size_t count) {
  auto values = gradients_of(test_runtime->rank(), count);
  MpiEngine engine(MPI_COMM_WORLD, values.data(), 777, 60, wire);
  engine.begin(all_reduce({0, count}), {});
  engine.wait(0, [] { return true; });
  std::vector<double> sum(count), size(count);
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto theirs = gradients_of(rank, count);
    for (std::size_t i = 0; i < count; ++i) sum[i] += theirs[i], size[i] += std::abs(theirs[i]);
  }
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (size[i] > 0) worst = std::max(worst, std::abs(values[i] * ranks() - sum[i]) / size[i]);
  return worst;
}

TEST(MpiEngine, KeepsTheProvenErrorBoundOfItsWire) {
  EXPECT_LE(worst_error(WireFormat::fp32, 100000), wire_error_bound(WireFormat::fp32, ranks()));
  const double worst = worst_error(WireFormat::bf16, 100000);
  EXPECT_LE(worst, wire_error_bound(WireFormat::bf16, ranks()));
  EXPECT_GT(worst, 0.9 * wire_error_bound(WireFormat::bf16, 1));  // shows that the wire is bf16
}

TEST(MpiEngine, FindsTheSameSumOnEveryRank) {
  auto values = gradients_of(test_runtime->rank(), 10000);
  MpiEngine engine(MPI_COMM_WORLD, values.data(), 5000, 60, WireFormat::bf16);
  engine.begin(all_reduce({0, values.size()}), {});
  engine.wait(0, [] { return true; });
  std::vector<float> first = values;
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_FLOAT, 0, MPI_COMM_WORLD);
  EXPECT_EQ(values, first);
}

// If MPI may write the result directly into the memory, it must do so. A copy from a buffer would take 10 to
// 20 % of the time of a reduce-scatter of 256 KiB to 4 MiB.
TEST(MpiWire, ReceivesAReduceScatterWithoutABufferIfPossible) {
  constexpr std::size_t part = 10, behind = 1000;
  const GroupPlace place{test_runtime->rank(), ranks()};
  const std::size_t whole = part * static_cast<std::size_t>(ranks());
  std::vector<float> memory(behind + part);
  const auto is_received_in_memory = [&](CollectiveCall const& call, std::size_t piece_elements) {
    MpiWire wire(WireFormat::fp32, piece_elements, place);
    auto const* const to = static_cast<float*>(wire.pack(wire.cut(call), 0, memory.data()).receive);
    return to == memory.data() + call.assigned.offset;
  };
  CollectiveCall call{model::Verb::reduce_scatter, {0, whole}, {behind, part}};
  EXPECT_TRUE(is_received_in_memory(call, 2 * whole));
  EXPECT_TRUE(is_received_in_memory(call, whole / 2));
  const auto in_place = ddproxy::in_place(model::Verb::reduce_scatter, {0, whole}, place);
  EXPECT_FALSE(is_received_in_memory(in_place, 2 * whole)) << "MPI must not assign what it reads";
  EXPECT_TRUE(is_received_in_memory(in_place, whole / 2)) << "MPI reads a buffer";
  call.adds = true;
  EXPECT_FALSE(is_received_in_memory(call, 2 * whole)) << "MPI does not add";
}

/// Returns how many elements of the buffers of MpiWire an in-place reduce-scatter of `x` elements writes. If
/// the address of a message is not in `memory`, it is in such a buffer, and MPI or pack() writes to it. All
/// pieces use the same buffer, so the largest piece counts.
std::size_t written_to_buffers(std::size_t x, std::size_t piece_elements, GroupPlace place) {
  std::vector<float> memory(x);
  MpiWire wire(WireFormat::fp32, piece_elements, place);
  const auto in_memory = [&](void const* address) {
    return address >= memory.data() && address < memory.data() + x;
  };
  const CallPieces pieces = wire.cut(in_place(model::Verb::reduce_scatter, {0, x}, place));
  std::size_t written = 0;
  for (std::size_t i = 0; i < pieces.count(); ++i) {
    const MpiMessage message = wire.pack(pieces, i, memory.data());
    if (!in_memory(message.send)) written = std::max(written, pieces.elements(i));
    if (!in_memory(message.receive)) written = std::max(written, pieces.part_elements(i));
  }
  return written;
}

TEST(MpiWire, AnInPlaceReduceScatterWritesAsManyBufferElementsAsPredicted) {
  const auto n = static_cast<std::size_t>(ranks());
  for (const std::size_t piece : {1, 3, 40, 41})
    for (const std::size_t part : {1, 2, 9, 10, 11, 20, 40, 100}) {
      const std::size_t counted = scattered_in_place(part * n, piece, ranks());
      EXPECT_EQ(counted, written_to_buffers(part * n, piece, {test_runtime->rank(), ranks()}))
          << part << " elements of each rank, pieces of " << piece;
      EXPECT_LE(counted, buffers_of_mpi(WireFormat::fp32, piece, ranks()).results);
    }
}

TEST(MpiEngine, ReturnsNaNForAnElementThatIsNaN) {
  std::vector<float> values{1, std::numeric_limits<float>::quiet_NaN(), 3};
  MpiEngine engine(MPI_COMM_WORLD, values.data(), 100, 60, WireFormat::bf16);
  engine.begin(all_reduce({0, 3}), {});
  engine.wait(0, [] { return true; });
  EXPECT_EQ(values[0], 1);
  EXPECT_TRUE(std::isnan(values[1]));
}

}  // namespace
}  // namespace ddproxy
