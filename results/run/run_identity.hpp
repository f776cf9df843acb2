// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/file/reader.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {

/// What must be equal in runs that are compared; empty where the file does not say, or it does not apply.
Run::Values identity_of(Reader const& reader);

}  // namespace ddproxy::results
