// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/night.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "ctest/results/folder.hpp"

namespace ddproxy::test {
namespace {

using nlohmann::json;
using results::Night;

const std::string advice = "; restore the file from a copy, or leave it out of the command";

class NightFile : public Folder {
 protected:
  static Night night() {
    return {.created = "2026-03-01T00:00:00Z",
            .machine = "replay, 8 ranks, node",
            .revision = "new",
            .reference_revision = "old",
            .identity = {{"model", "tiny"}, {"device", "host"}},
            .rounds = 10,
            .cases = {{"flat", 0.01, 0.006}, {results::the_whole, 0.02, std::nan("")}}};
  }

  // Writes a night file and applies `damage` to it. Returns the part of the message of the rejection that
  // says what is wrong with a field. Checks the rest of the message: the path before it, the advice after it.
  std::string refusal(std::function<void(json&)> const& damage) {
    const auto path = folder / "n.night.json";
    write_night(path, night());
    auto all = json::parse(std::ifstream(path));
    damage(all);
    std::ofstream(path) << all;
    const auto text = message_of<std::invalid_argument>([&] { results::read_night(path); });
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text.rfind(path.string() + ": the field ", 0), 0u) << text;
    EXPECT_TRUE(text.ends_with(advice)) << text;
    const auto begin = text.find("the field ") + 10;
    return text.substr(begin, text.size() - begin - advice.size());
  }
};

TEST_F(NightFile, is_read_as_it_was_written) {
  write_night(folder / "n.night.json", night());
  const Night read = results::read_night(folder / "n.night.json");
  EXPECT_EQ(read.path, folder / "n.night.json");
  EXPECT_EQ(read.created, night().created);
  EXPECT_EQ(read.machine, night().machine);
  EXPECT_EQ(read.revision, "new");
  EXPECT_EQ(read.reference_revision, "old");
  EXPECT_EQ(read.identity, night().identity);
  EXPECT_EQ(read.rounds, 10u);
  ASSERT_EQ(read.cases.size(), 2u);
  EXPECT_EQ(read.find("flat")->log_ratio, 0.01);
  EXPECT_EQ(read.find("flat")->deviation, 0.006);
  EXPECT_TRUE(std::isnan(read.find(results::the_whole)->deviation));
  EXPECT_EQ(read.find("naive"), nullptr);
}

TEST_F(NightFile, every_missing_field_is_named_in_the_error) {
  for (char const* field :
       {"schema", "created", "machine", "revision", "reference_revision", "identity", "rounds", "cases"})
    EXPECT_EQ(refusal([&](json& all) { all.erase(field); }), std::string(field) + " is missing");
  for (char const* field : {"name", "log_ratio", "deviation"})
    EXPECT_EQ(refusal([&](json& all) { all["cases"][1].erase(field); }),
              "cases[1]." + std::string(field) + " is missing");
}

TEST_F(NightFile, every_malformed_field_is_named_in_the_error) {
  EXPECT_EQ(refusal([](json& all) { all["schema"] = "other"; }), "schema is not ddproxy-night-1");
  EXPECT_EQ(refusal([](json& all) { all["created"] = ""; }), "created is empty");
  EXPECT_EQ(refusal([](json& all) { all["machine"] = 3; }), "machine is not a string");
  EXPECT_EQ(refusal([](json& all) { all["identity"] = "x"; }), "identity is not an object");
  EXPECT_EQ(refusal([](json& all) { all["identity"]["model"] = 1; }),
            "identity has the member 'model', which is not a string");
  for (json bad : {json(0), json(-1), json(1.5), json("10")})
    EXPECT_EQ(refusal([&](json& all) { all["rounds"] = bad; }), "rounds is not a positive integer");
  EXPECT_EQ(refusal([](json& all) { all["cases"] = json::object(); }), "cases is not an array");
  EXPECT_EQ(refusal([](json& all) { all["cases"][0]["log_ratio"] = nullptr; }),
            "cases[0].log_ratio is not a finite number");
  EXPECT_EQ(refusal([](json& all) { all["cases"][0]["deviation"] = -0.1; }),
            "cases[0].deviation is negative");
  EXPECT_EQ(refusal([](json& all) { all["cases"][1]["name"] = "flat"; }), "cases has the case 'flat' twice");
  EXPECT_EQ(refusal([](json& all) { all["cases"].erase(1); }),
            "cases must have an entry 'the whole' (the mean over the cases) and at least one other entry");
}

TEST_F(NightFile, refuses_invalid_json_and_missing_files) {
  std::ofstream(folder / "n.night.json") << "{";
  const auto read = [&](char const* name) {
    return message_of<std::invalid_argument>([&] { results::read_night(folder / name); });
  };
  EXPECT_EQ(read("n.night.json"), (folder / "n.night.json").string() + ": is not valid JSON" + advice);
  EXPECT_EQ(read("none"), (folder / "none").string() +
                              ": cannot be opened for reading; check the path and its permissions");
  std::ofstream(folder / "n.night.json") << "[]";
  EXPECT_EQ(read("n.night.json"),
            (folder / "n.night.json").string() + ": the file is not a JSON object" + advice);
}

TEST_F(NightFile, a_night_with_invalid_values_is_not_written) {
  Night bad = night();
  bad.cases[0].log_ratio = std::nan("");
  EXPECT_THROW(write_night(folder / "n.night.json", bad), std::invalid_argument);
  bad = night();
  bad.rounds = 0;
  EXPECT_THROW(write_night(folder / "n.night.json", bad), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder / "n.night.json"));
}

}  // namespace
}  // namespace ddproxy::test
