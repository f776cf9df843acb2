// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// Occupies `exec`'s stream for `seconds` from when the device comes to it, within 2 % and 5 us, with one
/// block: the rest of the device stays free; not at all where they are 0. On a host the calling thread
/// sleeps.
void busy(Space const& exec, double seconds);

}  // namespace ddproxy::kernels
