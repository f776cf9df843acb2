// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/buffer_list.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "ctest/folders.hpp"
#include "ctest/miniapp/input/input_file.hpp"
#include "ctest/miniapp/large_arrays.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/measure/step/step_context.hpp"
#include "miniapp/measure/sweep/parts.hpp"

// Compares the list of buffers with what a rank really allocates. Kokkos reports each array with its label.
// The engines of MPI allocate their buffers with operator new[] (large_arrays.hpp).
namespace ddproxy {
namespace {

// [label] bytes of the arrays of Kokkos since the recording started
std::map<std::string, double> arrays;
bool recording = false;

void record_array(Kokkos::Tools::SpaceHandle, char const* label, void const*, std::uint64_t bytes) {
  const std::string name = label;
  if (recording && !name.starts_with("Kokkos::")) arrays[name] += static_cast<double>(bytes);
}

class AllocatedBuffers : public testing::Test {
 protected:
  void SetUp() override { Kokkos::Tools::Experimental::set_allocate_data_callback(record_array); }
  void TearDown() override { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }

  Config input(std::string const& sections) {
    return read_config(folder_.file("input.toml", "[model]\npreset = \"tiny\"\n" + sections));
  }
  // Records what `make` allocates. Returns the result of `make`.
  template <class Make>
  auto record(Make make) {
    arrays.clear();
    count_large_arrays();
    recording = true;
    auto made = make();
    recording = false;
    by_new_ = static_cast<double>(counted_large_arrays());
    return made;
  }
  // The length of "token groups" depends on the tokens that are drawn.
  void expect_tokens(double listed) {
    double allocated = 0;
    for (auto const* label : {"inputs", "targets", "token places", "token groups"}) {
      EXPECT_GT(arrays[label], 0) << label;
      allocated += arrays[label];
      arrays.erase(label);
    }
    EXPECT_LE(allocated, listed + 64);
    EXPECT_GE(allocated, listed / 2);
  }

  // Expects that every buffer of the list was allocated, and nothing else.
  void expect_allocated(RankBuffers const& list) {
    double of_engines = 0;
    for (auto const& row : list.rows) {
      if (row.use == BufferUse::messages || row.use == BufferUse::collective_results)
        of_engines += row.bytes;
      else if (row.use == BufferUse::tokens)
        expect_tokens(row.bytes);
      else if (row.use != BufferUse::wire_formats)  // exists only while gradients are compared
        arrays[std::string(name_of(row.use))] -= row.bytes;
    }
    constexpr double line = 64;  // Kokkos and the list round up to whole cache lines
    for (auto const& [label, bytes] : arrays) EXPECT_LE(std::abs(bytes), line) << label;
    EXPECT_EQ(by_new_, of_engines) << "buffers of the engines";
  }

 private:
  double by_new_ = 0;  // bytes
  Folder folder_;
};

TEST_F(AllocatedBuffers, MatchTheListOfABackwardPass) {
  for (auto const* keys : {"", "copies = \"in\"\n", "wire = \"bf16\"\n"}) {
    const Config config = input("[allreduce]\nbackend = \"mpi\"\npiece_mib = 0.0625\n" + std::string(keys) +
                                "[gate]\nallreduce_kib = [64, 256]\n");
    const auto context = record([&] {
      auto made =
          std::make_unique<RankContext>(make_rank_context(config, make_workload(config), *test_runtime));
      const Parts parts(*made);  // allocates the messages of the gate
      return made;
    });
    expect_allocated(context->buffers);
  }
}

TEST_F(AllocatedBuffers, MatchTheListOfAStep) {
  if (test_runtime->ranks() == 1) GTEST_SKIP() << "sharding needs two ranks";
  for (auto const* sections :
       {"", "wire = \"bf16\"\n[step]\nbatch = 2\naccumulation = 2\n", "[shard]\nstage = \"zero1\"\n",
        "[step]\nbatch = 2\naccumulation = 2\n[shard]\nstage = \"fsdp\"\n"}) {
    const Config config =
        input("[allreduce]\nbackend = \"mpi\"\npiece_mib = 0.0625\n" + std::string(sections));
    const auto context =
        record([&] { return make_step_context(config, make_workload(config), *test_runtime); });
    expect_allocated(context.rank.buffers);
  }
}

TEST_F(AllocatedBuffers, AreNoneIfComputeAndAllReducesAreReplayed) {
  const Config config = read_config(std::string(source_folder) + "/inputs/gpt2-large-a100x8.toml");
  if (test_runtime->ranks() > 1) GTEST_SKIP() << "a twin runs on one rank";
  const auto context =
      record([&] { return make_rank_context(config, make_workload(config), *test_runtime); });
  EXPECT_TRUE(context.buffers.rows.empty());
  expect_allocated(context.buffers);
}

}  // namespace
}  // namespace ddproxy
