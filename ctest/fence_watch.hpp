// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/types.hpp"

namespace ddproxy {

/// Notes by name what would stop the host for as long as it lives: fences, deep copies and allocations, as
/// Kokkos tells its tools of them; waits that go past Kokkos are not seen. On a host two kinds are left out:
/// those before a product, because BLAS reads at once what was enqueued before it, and those of a mark
/// (miniapp/device/device.hpp), which is no event there. One at a time.
class FenceWatch {
 public:
  FenceWatch() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    namespace tools = Kokkos::Tools::Experimental;
    seen().clear();
    tools::set_begin_fence_callback([](char const* name, std::uint32_t, std::uint64_t*) { note(name); });
    tools::set_begin_deep_copy_callback([](Kokkos_Profiling_SpaceHandle, char const* to, void const*,
                                           Kokkos_Profiling_SpaceHandle, char const*, void const*,
                                           std::uint64_t) { note(std::string("copy to ") + to); });
    tools::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, char const* name, void const*, std::uint64_t bytes) {
          // Kokkos 4.7 asks for nothing at all before each launch of a team on CUDA
          if (bytes > 0) note(std::string("allocation of ") + name);
        });
  }
  ~FenceWatch() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  FenceWatch(FenceWatch const&) = delete;
  FenceWatch& operator=(FenceWatch const&) = delete;

  static std::vector<std::string>& seen() {
    static std::vector<std::string> names;
    return names;
  }

 private:
  static void note(std::string const& what) {
    const bool of_host = what.starts_with("gemm") || what == "ddproxy::Marks";
    if (kernels::on_device || !of_host) seen().push_back(what);
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace ddproxy
