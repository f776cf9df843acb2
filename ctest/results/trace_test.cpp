// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/trace.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "ctest/results/folder.hpp"
#include "ctest/results/sample_file.hpp"

namespace ddproxy::test {
namespace {

using nlohmann::json;
using results::Reader;

class Trace : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    make_sample(folder / "r.h5");
  }

  json trace(std::vector<std::string> const& cases) {
    write_trace(Reader(folder / "r.h5"), cases, folder / "trace.json");
    std::ifstream file(folder / "trace.json");
    return json::parse(file);
  }
};

std::size_t count(json const& events, std::string const& phase) {
  std::size_t found = 0;
  for (auto const& event : events) found += event["ph"] == phase;
  return found;
}

TEST_F(Trace, has_every_event_of_the_case_in_a_named_row) {
  const Reader reader(folder / "r.h5");
  const auto names = reader.texts("/sweep/name");
  const auto at = static_cast<std::size_t>(std::ranges::find(names, "bucketed 256 MiB") - names.begin());
  const auto first = static_cast<std::size_t>(reader.integers("/timeline/first")[at]);
  const auto events = trace({"bucketed 256 MiB"})["traceEvents"];
  EXPECT_EQ(count(events, "X"), static_cast<std::size_t>(reader.integers("/timeline/count")[at]));
  std::set<std::string> named;
  for (auto const& event : events)
    if (event["ph"] == "M") named.insert(event["args"]["name"]);
  EXPECT_EQ(named, (std::set<std::string>{"bucketed 256 MiB, rank 0", "compute", "communication"}));
  for (auto const& event : events) {
    if (event["ph"] != "X") continue;
    EXPECT_DOUBLE_EQ(event["ts"].get<double>(), reader.reals("/timeline/start")[first] * 1e6);
    EXPECT_NEAR(event["dur"].get<double>(), 1e4, 1e-6);
    EXPECT_EQ(event["name"], reader.texts("/timeline/label")[first]);
    break;
  }
}

TEST_F(Trace, counts_the_live_buffers_at_the_start_and_end_of_each_event) {
  const Reader reader(folder / "r.h5");
  const auto first = static_cast<std::size_t>(reader.integers("/timeline/first")[0]);
  const auto events = trace({reader.texts("/sweep/name")[0]})["traceEvents"];
  EXPECT_EQ(count(events, "C"), 2 * static_cast<std::size_t>(reader.integers("/timeline/count")[0]));
  const auto counter =
      std::find_if(events.begin(), events.end(), [](json const& event) { return event["ph"] == "C"; });
  ASSERT_NE(counter, events.end());
  EXPECT_DOUBLE_EQ((*counter)["args"]["MiB"].get<double>() * (1 << 20),
                   reader.reals("/timeline/live_bytes_start")[first]);
  EXPECT_DOUBLE_EQ((*counter)["ts"].get<double>(), reader.reals("/timeline/start")[first] * 1e6);
}

TEST_F(Trace, has_all_cases_if_no_case_is_chosen) {
  const auto events = trace({})["traceEvents"];
  EXPECT_EQ(count(events, "X"), Reader(folder / "r.h5").extents("/timeline/start")[0]);
  std::set<int> processes;
  for (auto const& event : events) processes.insert(event["pid"].get<int>());
  EXPECT_EQ(processes.size(), sample_cases().size());
}

TEST_F(Trace, of_whole_steps_has_one_case_called_step) {
  {
    results::Writer writer(folder / "step.h5");
    writer.write("/step/part", std::vector<std::string>{"step"});
    writer.write("/timeline/first", std::vector<std::int64_t>{0});
    writer.write("/timeline/count", std::vector<std::int64_t>{1});
    writer.write("/timeline/start", std::vector<double>{1});
    writer.write("/timeline/end", std::vector<double>{2});
    writer.write("/timeline/resource", std::vector<std::string>{"compute"});
    writer.write("/timeline/label", std::vector<std::string>{"forward lm_head"});
    writer.write("/timeline/event_rank", std::vector<std::int64_t>{0});
    writer.finish();
  }
  write_trace(Reader(folder / "step.h5"), {}, folder / "step.json");
  std::ifstream file(folder / "step.json");
  const auto events = json::parse(file)["traceEvents"];
  EXPECT_EQ(count(events, "X"), 1U);
  EXPECT_EQ(events.front()["args"]["name"], "step, rank 0");
}

TEST_F(Trace, refuses_a_missing_case_folder_or_dataset) {
  const auto refused = [&](std::string const& file, std::vector<std::string> const& cases, auto const& to) {
    return message_of<std::invalid_argument>([&] { write_trace(Reader(folder / file), cases, to); });
  };
  EXPECT_NE(refused("r.h5", {"none"}, folder / "t").find("no timeline of a case 'none'"), std::string::npos);
  EXPECT_NE(refused("r.h5", {}, folder / "none" / "t").find("cannot write"), std::string::npos);
  results::Writer(folder / "empty.h5").finish();
  EXPECT_NE(refused("empty.h5", {}, folder / "t").find("/sweep/name"), std::string::npos);
}

}  // namespace
}  // namespace ddproxy::test
