// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause

// Measures the time of ddproxy's collectives from start() to completion, and compares it with the time of a
// plain loop of the same MPI or NCCL calls. Run it under the launcher. docs/measurements/collectives.md has
// the commands and the results.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "ctest/bench/mpi_rows.hpp"
#include "ctest/bench/ranks.hpp"
#include "ctest/bench/two_lane_rows.hpp"
#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/cores/node_cores.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/machine/runtime.hpp"
#ifdef DDPROXY_NCCL
#include "ctest/bench/nccl_rows.hpp"
#endif

namespace ddproxy::bench {
namespace {

/// Takes --largest_mib=N, --piece_mib=N and --iterations=N from the command line.
Settings take_settings(int& argc, char** argv) {
  const Settings by_default;
  return {.largest = take_number(argc, argv, "--largest_mib=", by_default.largest / mib) * mib,
          .piece = take_number(argc, argv, "--piece_mib=", by_default.piece / mib) * mib,
          .iterations = take_number(argc, argv, "--iterations=", by_default.iterations)};
}

/// Removes the rows, which own arrays of Kokkos, before Kokkos ends.
struct RegisteredRows {
  RegisteredRows() = default;
  RegisteredRows(RegisteredRows const&) = delete;
  RegisteredRows& operator=(RegisteredRows const&) = delete;
  ~RegisteredRows() { benchmark::ClearRegisteredBenchmarks(); }
};

void add_context(Runtime const& runtime, Settings const& settings, double cores) {
  benchmark::AddCustomContext("ranks", std::to_string(runtime.ranks()));
  benchmark::AddCustomContext("cores of a rank", fmt::format("{:.3g}", cores));
  benchmark::AddCustomContext("piece MiB", std::to_string(settings.piece / mib));
  if (nccl_version() == "none") return;
  benchmark::AddCustomContext("NCCL", nccl_version());
  benchmark::AddCustomContext("ranks on a device", std::to_string(runtime.ranks_on_device()));
}

int run(int argc, char** argv) {
  const Runtime runtime(argc, argv, {.share_device = true});
  const Settings settings = take_settings(argc, argv);
  keep_files_to_root(argc, argv, runtime.root());
  benchmark::Initialize(&argc, argv);
  if (settings.largest == 0 || settings.piece == 0 || settings.iterations == 0 ||
      benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  const double cores = -runtime.maximum(-core_share(runtime.communicator()));
  add_context(runtime, settings, cores);
  const RegisteredRows rows{};
  register_mpi_rows(runtime, settings, cores >= 2);
  register_two_lane_rows(runtime, settings, cores >= 2);
#ifdef DDPROXY_NCCL
  register_nccl_rows(runtime, settings);
#endif
  run_on_all_ranks(runtime.root());
  return 0;
}

}  // namespace
}  // namespace ddproxy::bench

// With --nccl_version, prints the version of NCCL that the program would use and ends.
int main(int argc, char** argv) try {
  if (argc == 2 && std::string_view(argv[1]) == "--nccl_version")
    return std::puts(ddproxy::nccl_version().c_str()) < 0;
  return ddproxy::bench::run(argc, argv);
} catch (std::exception const&) {
  const auto error = ddproxy::describe_current_exception();
  std::fprintf(stderr, "bench_collectives: %s\n", error.message.c_str());
  return error.code;
}
