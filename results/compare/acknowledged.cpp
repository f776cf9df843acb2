// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/acknowledged.hpp"

#include <nlohmann/json.hpp>

#include "results/file/json_fields.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy::results {
namespace {

constexpr char const* acknowledged_schema = "ddproxy-acknowledged-1";

}  // namespace

std::filesystem::path acknowledged_file(std::filesystem::path const& folder) {
  return folder / "acknowledged.json";
}

std::vector<Acknowledgement> read_acknowledged(std::filesystem::path const& folder) {
  const auto path = acknowledged_file(folder);
  std::error_code absent;
  const auto there = std::filesystem::symlink_status(path, absent).type();
  if (there == std::filesystem::file_type::not_found) return {};
  const auto json = read_json(path);
  const JsonFields fields(path, json);
  if (fields.text("schema") != acknowledged_schema)
    fields.refuse("schema", std::string("is not ") + acknowledged_schema);
  std::vector<Acknowledgement> all;
  for (auto const& one : fields.objects("acknowledged"))
    all.push_back({one.filled_text("case"), one.filled_text("until"), one.number("slowdown"), one.text("at"),
                   one.text("reason")});
  return all;
}

void write_acknowledged(std::filesystem::path const& folder, std::vector<Acknowledgement> const& all) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (auto const& one : all)
    entries.push_back({{"case", one.name},
                       {"until", one.until},
                       {"slowdown", one.slowdown},
                       {"at", one.at},
                       {"reason", one.reason}});
  const nlohmann::ordered_json json{{"schema", acknowledged_schema}, {"acknowledged", entries}};
  write_text(acknowledged_file(folder), json.dump(2) + '\n');
}

}  // namespace ddproxy::results
