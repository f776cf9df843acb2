// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::results {

std::string percent(double share);         ///< returns 0.0123 as "1.23 %"
std::string signed_percent(double share);  ///< returns 0.0123 as "+1.23 %"

}  // namespace ddproxy::results
