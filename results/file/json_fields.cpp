// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/file/json_fields.hpp"

#include <cmath>
#include <fstream>
#include <stdexcept>

#include "model/text/echo.hpp"

namespace ddproxy::results {
namespace {

constexpr char remedy[] = "; restore the file from a copy, or leave it out of the command";

}  // namespace

nlohmann::ordered_json read_json(std::filesystem::path const& path) {
  std::error_code absent;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, absent)) file.open(path);  // opening a pipe could block for ever
  if (!file.is_open())
    throw std::invalid_argument(path.string() +
                                ": cannot be opened for reading; check the path and its permissions");
  auto json = nlohmann::ordered_json::parse(file, nullptr, false);
  if (json.is_discarded()) throw std::invalid_argument(path.string() + ": is not valid JSON" + remedy);
  return json;
}

JsonFields::JsonFields(std::filesystem::path path, Json const& json, std::string where)
    : path_(std::move(path)), json_(&json), where_(std::move(where)) {
  if (!json.is_object())
    throw std::invalid_argument(path_.string() + ": " +
                                (where_.empty() ? "the file " : where_.substr(0, where_.size() - 1) + " ") +
                                "is not a JSON object" + remedy);
}

void JsonFields::refuse(char const* name, std::string const& what) const {
  throw std::invalid_argument(path_.string() + ": the field " + where_ + name + " " + what + remedy);
}

JsonFields::Json const& JsonFields::member(char const* name) const {
  const auto found = json_->find(name);
  if (found == json_->end()) refuse(name, "is missing");
  return *found;
}

std::string JsonFields::text(char const* name) const {
  if (!member(name).is_string()) refuse(name, "is not a string");
  return member(name).get<std::string>();
}

std::string JsonFields::filled_text(char const* name) const {
  if (text(name).empty()) refuse(name, "is empty");
  return text(name);
}

double JsonFields::number(char const* name) const {
  if (!member(name).is_number() || !std::isfinite(member(name).get<double>()))
    refuse(name, "is not a finite number");
  return member(name).get<double>();
}

std::size_t JsonFields::count(char const* name) const {
  if (!member(name).is_number_unsigned() || member(name).get<std::size_t>() == 0)
    refuse(name, "is not a positive integer");
  return member(name).get<std::size_t>();
}

bool JsonFields::has_null(char const* name) const {
  return member(name).is_null();
}

std::vector<std::pair<std::string, std::string>> JsonFields::texts_of_object(char const* name) const {
  if (!member(name).is_object()) refuse(name, "is not an object");
  std::vector<std::pair<std::string, std::string>> all;
  for (auto const& [key, value] : member(name).items()) {
    if (!value.is_string()) refuse(name, "has the member '" + model::echo(key) + "', which is not a string");
    all.emplace_back(key, value.get<std::string>());
  }
  return all;
}

std::vector<JsonFields> JsonFields::objects(char const* name) const {
  if (!member(name).is_array()) refuse(name, "is not an array");
  std::vector<JsonFields> all;
  for (auto const& one : member(name))
    all.emplace_back(path_, one, where_ + name + "[" + std::to_string(all.size()) + "].");
  return all;
}

}  // namespace ddproxy::results
