// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For DdproxyViewLayout.cmake, which reads what nvcc makes of it: the bytes of the parameter in the kernel's head, and the
// bytes that the language's rules and the host say.
#include <Kokkos_Core.hpp>

struct Views {
  Kokkos::View<float*> first, second;
};

extern "C" __global__ void view_layout(Views, std::size_t* bytes) {
  *bytes = sizeof(Views);
}
