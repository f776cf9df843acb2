// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/wire_format.hpp"

#include <cmath>

namespace ddproxy {

double wire_error_bound(WireFormat wire, int ranks) {
  const double fp32 = (ranks + 1) * std::log1p(std::ldexp(1.0, -24));
  const double bf16 = ranks * std::log1p(std::ldexp(1.0, -8));
  return std::expm1(fp32 + (wire == WireFormat::bf16 ? bf16 : 0));
}

}  // namespace ddproxy
