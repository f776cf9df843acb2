// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/describe.hpp"

#include <array>

namespace ddproxy::model {
namespace {

constexpr std::array<std::string_view, 6> verbs{"all_reduce", "reduce_scatter", "all_gather",
                                                "broadcast",  "send",           "receive"};
constexpr std::array<std::string_view, 6> phases{"forward", "recompute", "backward",
                                                 "norm",    "clip",      "update"};
constexpr std::array<std::string_view, 9> kinds{"parameter",           "gradient",        "bucket",
                                                "gathered_unit",       "optimizer_state", "activation",
                                                "activation_gradient", "scalar",          "cached_weight"};

std::string words(Access const& access) {
  return "elements " + std::to_string(access.slice.offset) + " to " +
         std::to_string(access.slice.end() - (access.slice.count ? 1 : 0)) + " of buffer " +
         std::to_string(index(access.buffer));
}

std::string words(Compute const& compute) {
  std::string text(name_of(compute.phase));
  if (compute.phase > Phase::backward) return text;
  return text + " of operator " + std::to_string(index(compute.op)) + ", micro-batch " +
         std::to_string(compute.micro_batch);
}

}  // namespace

std::string_view name_of(Verb verb) {
  return verbs[static_cast<std::size_t>(verb)];
}
std::optional<Verb> find_verb(std::string_view name) {
  for (const Verb verb : all_verbs)
    if (name_of(verb) == name) return verb;
  return std::nullopt;
}
std::string_view name_of(Phase phase) {
  return phases[static_cast<std::size_t>(phase)];
}
std::string_view name_of(BufferKind kind) {
  return kinds[static_cast<std::size_t>(kind)];
}
std::string name_of(Lane const& lane) {
  const std::string kind = lane.kind == LaneKind::compute ? "compute" : "communication";
  return lane.number == 0 ? kind : kind + " " + std::to_string(lane.number);
}

std::vector<Collective> collectives_of(Task const& task) {
  if (auto const* one = std::get_if<Collective>(&task.work)) return {*one};
  if (auto const* several = std::get_if<std::vector<Collective>>(&task.work)) return *several;
  return {};
}

std::string describe(Task const& task) {
  const std::string what = task.accesses.empty() ? "" : " of " + words(task.accesses.front());
  if (auto const* compute = std::get_if<Compute>(&task.work)) {
    const std::string text = words(*compute);
    return compute->phase > Phase::backward ? text + what : text;
  }
  if (std::holds_alternative<Copy>(task.work)) return "copy" + what;
  if (std::holds_alternative<HostWait>(task.work)) return "host wait";
  std::string text;
  for (Collective const& each : collectives_of(task))
    text += (text.empty() ? "" : " and ") + std::string(name_of(each.verb));
  return text + what;
}

std::string describe(RankGraphs const& step, ClassTask const& at) {
  RankClass const& ranks = step.classes[at.rank_class];
  std::string who = ranks.ranks.empty() ? "no rank" : "rank " + std::to_string(ranks.ranks.front());
  if (ranks.ranks.size() > 1) who += " (and " + std::to_string(ranks.ranks.size() - 1) + " like it)";
  return "task " + std::to_string(at.task) + " of " + who + ", " + describe(ranks.graph.tasks[at.task]);
}

std::size_t elements_of(RankGraphs const& step, Access const& access) {
  if (!access.part) return access.slice.count;
  return access.slice.count / step.communicators[index(*access.part)].groups.front().size();
}

std::size_t full_elements(RankGraphs const& step, Task const& task, std::size_t i) {
  const Verb verb = collectives_of(task)[i].verb;
  return elements_of(step, task.accesses[verb == Verb::all_gather ? 1 : i]);
}

}  // namespace ddproxy::model
