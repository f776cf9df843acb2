// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

std::string_view name_of(Verb verb);  ///< returns the name of a kind of collective, for example "all_reduce"
/// Returns the verb that has this name, or nothing if there is none.
std::optional<Verb> find_verb(std::string_view name);
std::string_view name_of(Phase phase);      ///< returns for example "backward"
std::string_view name_of(BufferKind kind);  ///< returns for example "optimizer_state"
/// Returns "compute" or "communication" for lane 0 of its kind, and for example "communication 1" for lane 1.
std::string name_of(Lane const& lane);

/// Describes a task for messages: "backward of operator 7, micro-batch 0", "all_reduce of elements 0 to 1023
/// of buffer 3".
std::string describe(Task const& task);

/// Describes a task for messages, with its number, the first rank of its class and the number of the class's
/// other ranks.
std::string describe(RankGraphs const& step, ClassTask const& at);

/// Returns x, the number of elements of the i-th collective of a task; Collective (step_graph.hpp) explains
/// x. For CollectiveCosts (model/predict/graph/collective_costs.hpp), multiply x by the bytes of an element
/// in the wire format.
std::size_t full_elements(RankGraphs const& step, Task const& task, std::size_t i);

/// Returns the number of elements that an access covers on one rank: the slice, or this rank's part of the
/// slice.
std::size_t elements_of(RankGraphs const& step, Access const& access);

}  // namespace ddproxy::model
