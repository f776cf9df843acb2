// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ddproxy::model {

/// The rules that check() proves for a step.
enum class Rule {
  well_formed,    ///< ids, slices, padding and groups are valid; accesses fit the collective or copy that
                  ///< uses them; in a broadcast the root and no other rank reads; a rank is not its own peer
  rising,         ///< a task waits only for tasks with smaller ids
  ordered,        ///< if two accesses conflict, one task waits for the other, directly or through other tasks
  same_order,     ///< the members of a group issue the same collectives in the same order; a rank uses each
                  ///< communicator on one lane only, because lanes do not wait for each other
  no_deadlock,    ///< ranks and lanes never wait for each other in a circle; a collective waits for all its
                  ///< members
  filled,         ///< no element is read before a task has written it, or after its last use
  right_content,  ///< a task reads the content and the element or tensor that its access declares, in the
                  ///< right version and of its own micro-batch; no element with this content is declared as
                  ///< padding
  contributes_once,  ///< no contribution enters a gradient or a norm twice
  contributes_all,  ///< no contribution is missing when a gradient or a norm is used, and when the step ends.
                    ///< At the end of the step the averaged gradients, or the updated parameters, are in
                    ///< buffers whose at_exit names them
  averaged,         ///< a complete gradient is the average over the replicas: not a sum, not divided twice
  same_state_at_exit,  ///< if a buffer has content at the start of the step, at_exit equals at_entry. At the
                       ///< end a buffer contains what at_exit names; parameters and optimizer states are
                       ///< updated once if the step updates them, otherwise never
};

/// A rule that a step breaks, and the place at which it breaks the rule.
struct Violation {
  Rule rule;
  std::string what;  ///< one sentence that names the rank, the task and the buffer
};
using Violations = std::vector<Violation>;

}  // namespace ddproxy::model
