// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/lane_clocks.hpp"

#include <algorithm>
#include <map>

namespace ddproxy::model {

LaneClocks::LaneClocks(StepGraph const& graph) {
  std::map<Lane, std::size_t> lanes;
  for (Task const& task : graph.tasks)
    lane_.push_back(lanes.try_emplace(task.lane, lanes.size()).first->second);
  std::vector<std::vector<std::size_t>> on_lane(lanes.size());
  ended_.assign(graph.tasks.size(), std::vector<std::size_t>(lanes.size()));
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const auto wait_for = [&](std::size_t before) {
      for (std::size_t l = 0; l < lanes.size(); ++l) ended_[t][l] = std::max(ended_[t][l], ended_[before][l]);
      auto& ended = ended_[t][lane_[before]];
      ended = std::max(ended, place_[before] + 1);
    };
    auto& mine = on_lane[lane_[t]];
    if (!mine.empty()) wait_for(mine.back());
    for (const TaskId before : graph.tasks[t].after) wait_for(index(before));
    place_.push_back(mine.size());
    mine.push_back(t);
  }
}

}  // namespace ddproxy::model
