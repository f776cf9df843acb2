// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "miniapp/measure/step/step_context.hpp"

namespace ddproxy {

/// Verifies the compiled step of the context on its lanes. Returns a message for the first error on this
/// rank, or an empty text if there is none. Collective.
///
/// If collectives are carried out, checks the numbers and the order (verify_step_numbers() in
/// miniapp/measure/verification/verify_step.hpp). Afterwards parameters and optimizer states must be
/// initialised again. If compute is replayed, checks only the buffers that the rank has, and assigns 0 to
/// them afterwards. If collectives are replayed, nothing is reduced, so only the order is checked
/// (verify_step_order()).
std::string verify_step(StepContext& context);

}  // namespace ddproxy
