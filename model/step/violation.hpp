// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ddproxy::model {

/// What check() proves of a step.
enum class Rule {
  well_formed,    ///< ids, slices, groups and the accesses of each verb fit together
  rising,         ///< a task waits only for tasks before it in the list
  ordered,        ///< of two accesses that conflict one waits for the other, directly or by others
  same_order,     ///< the members of a group issue the same collectives in the same order
  no_deadlock,    ///< no circle of waits over ranks and lanes, where every collective waits for all members
  filled,         ///< nothing is read before it is written or gathered, nor after its last use
  right_content,  ///< what is read is what the task takes it for: parameter, version, operator, micro-batch
  contributes_once,    ///< no contribution enters a gradient or a norm twice
  contributes_all,     ///< none is missing where a gradient or a norm is used, nor at the end
  same_state_at_exit,  ///< after the step a buffer holds what it held before, updated once
};

struct Violation {
  Rule rule;
  std::string what;  ///< one sentence that names rank, task and buffer
};
using Violations = std::vector<Violation>;

}  // namespace ddproxy::model
