// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/trace.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "results/output/text_file.hpp"

namespace ddproxy::results {
namespace {

using nlohmann::ordered_json;

struct Events {
  std::vector<double> start, end;
  std::vector<std::string> resource, label;
  std::vector<std::int64_t> rank;
  std::vector<std::int64_t> live_bytes_start, live_bytes_end;  // empty if the file lacks them
};

Events read_events(Reader const& reader) {
  Events e{reader.reals("/timeline/start"),
           reader.reals("/timeline/end"),
           reader.texts("/timeline/resource"),
           reader.texts("/timeline/label"),
           reader.integers("/timeline/event_rank"),
           {},
           {}};
  const bool has_memory = reader.has("/timeline/live_bytes_start") && reader.has("/timeline/live_bytes_end");
  if (has_memory) {
    e.live_bytes_start = reader.integers("/timeline/live_bytes_start");
    e.live_bytes_end = reader.integers("/timeline/live_bytes_end");
  }
  const std::size_t n = e.start.size();
  if (e.end.size() != n || e.resource.size() != n || e.label.size() != n || e.rank.size() != n ||
      (has_memory && (e.live_bytes_start.size() != n || e.live_bytes_end.size() != n)))
    throw std::invalid_argument(reader.path().string() +
                                ": the datasets of /timeline differ in length; the file is damaged");
  return e;
}

ordered_json name_event(const char* what, std::int64_t process, std::int64_t row, std::string const& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", row}, {"args", {{"name", name}}}};
}

// Appends the events of one case to the trace, and the names of the processes and rows that contain them.
class CaseTrace {
 public:
  CaseTrace(std::string name, std::int64_t first_process, ordered_json& events)
      : name_(std::move(name)), first_process_(first_process), events_(events) {}

  void add(Events const& e, std::size_t k) {
    const std::int64_t process = first_process_ + e.rank[k];
    const std::int64_t row = row_of(process, e.rank[k], e.resource[k]);
    events_.push_back({{"ph", "X"},
                       {"name", e.label[k]},
                       {"cat", e.resource[k]},
                       {"pid", process},
                       {"tid", row},
                       {"ts", e.start[k] * 1e6},
                       {"dur", (e.end[k] - e.start[k]) * 1e6}});
    if (e.live_bytes_start.empty()) return;
    count_live(process, e.start[k], e.live_bytes_start[k]);
    count_live(process, e.end[k], e.live_bytes_end[k]);
  }

 private:
  void count_live(std::int64_t process, double seconds, std::int64_t bytes) {
    events_.push_back({{"ph", "C"},
                       {"name", "live buffers"},
                       {"pid", process},
                       {"ts", seconds * 1e6},
                       {"args", {{"MiB", static_cast<double>(bytes) / (1 << 20)}}}});
  }

  std::int64_t row_of(std::int64_t process, std::int64_t rank, std::string const& resource) {
    auto& rows = rows_[process];
    if (rows.empty())
      events_.push_back(name_event("process_name", process, 0, name_ + ", rank " + std::to_string(rank)));
    const auto [row, is_new] = rows.try_emplace(resource, static_cast<std::int64_t>(rows.size()));
    if (is_new) events_.push_back(name_event("thread_name", process, row->second, resource));
    return row->second;
  }

  std::string name_;
  std::int64_t first_process_;
  ordered_json& events_;
  std::map<std::int64_t, std::map<std::string, std::int64_t>> rows_;
};

// Returns the names of the cases. A file of whole steps has one case without a name, which is called "step".
std::vector<std::string> case_names(Reader const& reader) {
  if (!reader.has("/sweep/name") && reader.has("/step/part")) return {"step"};
  return reader.texts("/sweep/name");
}

std::vector<std::size_t> chosen_cases(Reader const& reader, std::vector<std::string> const& wanted,
                                      std::vector<std::string> const& names,
                                      std::vector<std::int64_t> const& count) {
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < count.size() && wanted.empty(); ++c)
    if (count[c] > 0) chosen.push_back(c);
  for (auto const& name : wanted) {
    const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    if (at >= count.size() || count[at] == 0)
      throw std::invalid_argument(reader.path().string() + ": has no timeline of a case '" + name +
                                  "'; give a case of the sweep");
    chosen.push_back(at);
  }
  return chosen;
}

}  // namespace

void write_trace(Reader const& reader, std::vector<std::string> const& cases,
                 std::filesystem::path const& path) {
  const auto names = case_names(reader);
  const auto first = reader.integers("/timeline/first"), count = reader.integers("/timeline/count");
  const Events all = read_events(reader);
  const std::int64_t ranks = all.rank.empty() ? 1 : std::ranges::max(all.rank) + 1;
  auto events = ordered_json::array();
  for (std::size_t c : chosen_cases(reader, cases, names, count)) {
    if (first.at(c) < 0 || first[c] + count[c] > static_cast<std::int64_t>(all.start.size()))
      throw std::invalid_argument(
          reader.path().string() +
          ": /timeline/first and /timeline/count point outside the events; the file is damaged");
    CaseTrace trace(names.at(c), static_cast<std::int64_t>(c) * ranks, events);
    for (std::int64_t k = first[c]; k < first[c] + count[c]; ++k) trace.add(all, static_cast<std::size_t>(k));
  }
  write_text(path, ordered_json{{"displayTimeUnit", "ms"}, {"traceEvents", events}}.dump() + "\n");
}

}  // namespace ddproxy::results
