// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"
#include "miniapp/app/record/timeline_columns.hpp"

namespace ddproxy {

void Recorder::plans(std::vector<model::Plan> const& plans) {
  Integers first, count, last, bytes;
  for (auto const& plan : plans) {
    first.push_back(static_cast<std::int64_t>(last.size()));
    count.push_back(static_cast<std::int64_t>(plan.size()));
    for (auto const& bucket : plan) {
      last.push_back(static_cast<std::int64_t>(bucket.last));
      bytes.push_back(bucket.bytes);
    }
  }
  writer_.write("/plans/first", first);
  writer_.write("/plans/count", count);
  writer_.write("/plans/last_gradient", last);
  writer_.write("/plans/bytes", bytes);
  first_bucket_.assign(first.begin(), first.end());
  first_bucket_.push_back(last.size());
}

void Recorder::timeline(Workload const& workload, std::vector<CaseTimeline> const& cases) {
  TimelineColumns columns;
  for (auto const& item : cases) columns.add_case(workload, item);
  columns.write(writer_);
}

void Recorder::step_memory(std::size_t allocated, std::vector<std::int64_t> const& predicted_peaks) {
  writer_.write("/memory/allocated", Integers{static_cast<std::int64_t>(allocated)});
  writer_.write("/memory/predicted_peak", predicted_peaks);
}

}  // namespace ddproxy
