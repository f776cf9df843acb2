// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/file/reader.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

/// Returns the keys and values that must be equal in compared runs. A value is empty if the file does not
/// contain it or if it does not apply.
Run::Values identity_of(Reader const& reader);

}  // namespace ddproxy::results
