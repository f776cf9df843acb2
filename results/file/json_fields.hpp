// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ddproxy::results {

/// Reads a JSON file. Throws std::invalid_argument, one line, if it cannot be read or is not JSON.
nlohmann::ordered_json read_json(std::filesystem::path const& path);

/// The fields of one object in a JSON file. Every function throws std::invalid_argument, one line with the
/// file and the field, if the field is missing or does not have the requested type or value. The JSON must
/// outlive this object.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  /// Wraps an object. `where` is its place in the file, for instance "cases[3]."; it is empty for the
  /// top-level object.
  JsonFields(std::filesystem::path path, Json const& json, std::string where = "");

  /// Returns the value of a text field.
  std::string text(char const* name) const;
  std::string filled_text(char const* name) const;  ///< throws if it is empty
  double number(char const* name) const;            ///< throws if it is not finite
  std::size_t count(char const* name) const;        ///< throws if it is less than 1
  bool has_null(char const* name) const;
  /// Returns the members of an object whose values are texts.
  std::vector<std::pair<std::string, std::string>> texts_of_object(char const* name) const;
  /// Returns the objects of an array.
  std::vector<JsonFields> objects(char const* name) const;
  [[noreturn]] void refuse(char const* name, std::string const& what) const;

 private:
  Json const& member(char const* name) const;

  std::filesystem::path path_;
  Json const* json_;
  std::string where_;
};

}  // namespace ddproxy::results
