// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/access_history.hpp"

#include <set>

namespace ddproxy::model {

AccessHistory::AccessHistory(std::vector<Buffer> const& buffers) {
  for (Buffer const& buffer : buffers) add(buffer);
}

std::vector<TaskId> AccessHistory::conflicts(Task const& task) {
  std::set<TaskId> found;
  for (Access const& access : task.accesses) {
    elements_[index(access.buffer)].for_each(access.slice, [&](Slice, Users const& users) {
      if (users.writer) found.insert(*users.writer);
      if (access.mode == AccessMode::read && !access.last_use) return;
      for (auto const& [lane, reader] : users.readers) found.insert(reader);
    });
  }
  return {found.begin(), found.end()};
}

void AccessHistory::record(TaskId id, Task const& task) {
  for (Access const& access : task.accesses) {
    auto& elements = elements_[index(access.buffer)];
    if (access.mode != AccessMode::read || access.last_use) {
      elements.set(access.slice, {id, {}});
    } else {
      elements.for_each(access.slice, [&](Slice, Users& users) {
        if (users.writer != id) users.readers[task.lane] = id;
      });
    }
  }
}

}  // namespace ddproxy::model
