// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ddproxy::results {

/// Reads a JSON file. Throws std::invalid_argument with a text of one line if the file cannot be read or is
/// not JSON.
nlohmann::ordered_json read_json(std::filesystem::path const& path);

/// Gives access to the fields of one object in a JSON file. Every function throws std::invalid_argument if
/// the field is missing or does not have the requested type or value. The text of the exception is one line
/// that names the file and the field. The JSON value must outlive this object.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  /// Wraps the object `json`. `where` is the place of the object in the file, for instance "cases[3].". It is
  /// empty for the top-level object. Throws std::invalid_argument if `json` is not an object.
  JsonFields(std::filesystem::path path, Json const& json, std::string where = "");

  /// Returns the value of a text field.
  std::string text(char const* name) const;
  std::string filled_text(char const* name) const;  ///< throws if it is empty
  double number(char const* name) const;            ///< throws if it is not finite
  std::size_t count(char const* name) const;        ///< throws if it is less than 1
  bool has_null(char const* name) const;            ///< returns true if the value of the field is null
  /// Returns the keys and values of a field that is an object; all values must be texts.
  std::vector<std::pair<std::string, std::string>> texts_of_object(char const* name) const;
  /// Returns the elements of a field that is an array of objects.
  std::vector<JsonFields> objects(char const* name) const;
  /// Throws std::invalid_argument that names the file, the field and the problem `what`.
  [[noreturn]] void refuse(char const* name, std::string const& what) const;

 private:
  Json const& member(char const* name) const;

  std::filesystem::path path_;
  Json const* json_;
  std::string where_;
};

}  // namespace ddproxy::results
