// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
//
// DdproxyViewLayout.cmake compiles this file with nvcc and reads two numbers from the PTX code. One is the size in bytes of the
// kernel's first parameter on the device. The other is sizeof(Views), which is the size on the host.
#include <Kokkos_Core.hpp>

struct Views {
  Kokkos::View<float*> first, second;
};

extern "C" __global__ void view_layout(Views, std::size_t* bytes) {
  *bytes = sizeof(Views);
}
