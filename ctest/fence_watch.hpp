// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace ddproxy {

/// While the object lives, records the names of operations that make the host wait: fences, deep copies and
/// allocations, as Kokkos reports them to its tools. Waits outside of Kokkos are not recorded. Only one
/// object may exist at a time.
///
/// On a host two kinds of fences are not recorded. A matrix product fences first, because BLAS does not wait
/// for enqueued kernels. Marks (miniapp/device/marks.hpp) fence, because a host has no events.
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
          // on CUDA, Kokkos 4.7 reports an allocation of 0 bytes before each launch of a team
          if (bytes > 0) note(std::string("allocation of ") + name);
        });
  }
  ~FenceWatch() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  FenceWatch(FenceWatch const&) = delete;
  FenceWatch& operator=(FenceWatch const&) = delete;

  /// Returns the recorded names, in order: the label of each fence, "copy to LABEL" and "allocation of
  /// LABEL". The next object of this class clears them.
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
