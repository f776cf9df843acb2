// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/config.hpp"

namespace ddproxy {

/// Sets the precision of all later matrix products. Throws std::invalid_argument if this build does not
/// support it.
void set_product_precision(Precision precision);

}  // namespace ddproxy
