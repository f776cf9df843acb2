// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ddproxy::results {

/// Reads a JSON file. Throws std::invalid_argument, one line, where it cannot be read or is no JSON.
nlohmann::ordered_json read_json(std::filesystem::path const& path);

/// The fields of one object in a JSON file. Every function throws std::invalid_argument, one line with the
/// file and the field, where the field is missing or is not what is asked for. The JSON has to outlive this.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  /// `where`: the object's place in the file, "cases[3]."; empty for the file's own object.
  JsonFields(std::filesystem::path path, Json const& json, std::string where = "");

  std::string text(char const* name) const;
  std::string filled_text(char const* name) const;  ///< not empty
  double number(char const* name) const;            ///< finite
  std::size_t count(char const* name) const;        ///< 1 or more
  bool has_null(char const* name) const;
  /// The members of an object of texts.
  std::vector<std::pair<std::string, std::string>> texts_of_object(char const* name) const;
  /// The objects of an array.
  std::vector<JsonFields> objects(char const* name) const;
  [[noreturn]] void refuse(char const* name, std::string const& what) const;

 private:
  Json const& member(char const* name) const;

  std::filesystem::path path_;
  Json const* json_;
  std::string where_;
};

}  // namespace ddproxy::results
