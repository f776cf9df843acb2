// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/check/buffer_contents.hpp"

namespace ddproxy::model {

/// Checks that the step leaves its result in buffers whose content is used after the step. If the step
/// updates the parameters, those of all expected gradients must be in buffers whose at_exit names them.
/// Otherwise the gradients must be in such buffers. A group of replicas needs each element on at least one of
/// its ranks. Adds a violation of Rule::contributes_all for each rank whose result is incomplete.
/// follow_contents() (contents.hpp) checks that the buffers contain what their at_exit says.
void check_kept_elements(BufferContents const& contents, Findings& findings);

}  // namespace ddproxy::model
