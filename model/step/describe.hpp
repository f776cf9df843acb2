// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

std::string_view name_of(Verb verb);  ///< "all_reduce"
/// Returns the verb of that name; nothing where there is none.
std::optional<Verb> find_verb(std::string_view name);
std::string_view name_of(Phase phase);  ///< "backward"

/// Returns words for a task, for messages: "backward of operator 7, micro-batch 0", "all_reduce of elements 0
/// to 1023 of buffer 3".
std::string describe(Task const& task);

/// The same with the task's number and the ranks of its class.
std::string describe(RankGraphs const& step, ClassTask const& at);

/// Elements of the whole collective, the x of a(x), rs(x), ag(x), for the i-th collective of a task.
std::size_t full_elements(RankGraphs const& step, Task const& task, std::size_t i);

/// Elements of an access on one rank: the slice, or an equal part of it.
std::size_t elements_of(RankGraphs const& step, Access const& access);

}  // namespace ddproxy::model
