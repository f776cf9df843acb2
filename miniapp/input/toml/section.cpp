// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/toml/section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "miniapp/input/toml/nesting.hpp"

namespace ddproxy {

Section::Section(toml::table const& root, std::string name, std::filesystem::path file)
    : name_(std::move(name)), file_(std::move(file)), table_(root[name_].as_table()) {
  if (!table_ && root.contains(name_))
    throw std::invalid_argument(fmt::format(
        "{}: '{}' is a section, not a key: write [{}] on a line of its own", file_.string(), name_, name_));
}

void Section::fail(std::string_view key, std::string const& what) const {
  toml::node const* node = table_ ? table_->get(key) : nullptr;
  if (!node) node = table_;  // the key is absent: name the line of its section
  const auto line = node ? fmt::format(":{}", node->source().begin.line) : "";
  throw std::invalid_argument(
      fmt::format("{}{}: [{}]{}{}: {}", file_.string(), line, name_, key.empty() ? "" : " ", key, what));
}

toml::node const* Section::find(std::string_view key) {
  remember(key);
  return table_ ? table_->get(key) : nullptr;
}

std::string Section::text(std::string_view key, std::string fallback) {
  toml::node const* node = find(key);
  if (!node) return fallback;
  if (!node->is_string()) fail(key, "the value must be a text in quotes");
  return node->as_string()->get();
}

bool Section::flag(std::string_view key, bool fallback) {
  toml::node const* node = find(key);
  if (!node) return fallback;
  if (!node->is_boolean()) fail(key, "the value must be true or false");
  return node->as_boolean()->get();
}

std::int64_t Section::integer(std::string_view key, std::int64_t fallback, std::int64_t least,
                              std::int64_t most) {
  toml::node const* node = find(key);
  if (!node) return fallback;
  if (!node->is_integer()) fail(key, "the value must be a whole number");
  const std::int64_t value = node->as_integer()->get();
  if (value < least) fail(key, fmt::format("{} is too small; it must be at least {}", value, least));
  if (value > most) fail(key, fmt::format("{} is too large; it must be at most {}", value, most));
  return value;
}

double Section::number(std::string_view key, double fallback) {
  toml::node const* node = find(key);
  if (!node) return fallback;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value)) fail(key, "the value must be a finite number");
  return *value;
}

double Section::positive(std::string_view key, double fallback) {
  const double value = number(key, fallback);
  if (has(key) && value <= 0) fail(key, fmt::format("{} is too small; it must be above 0", value));
  return value;
}

std::vector<double> Section::positive_list(std::string_view key, std::vector<double> fallback) {
  toml::node const* node = find(key);
  if (!node) return fallback;
  if (!node->is_array()) fail(key, "the value must be a list of numbers, for instance [1, 25]");
  if (node->as_array()->empty())
    fail(key, "the list is empty; give one number or more, for instance [1, 25]");
  std::vector<double> values;
  for (auto const& item : *node->as_array()) {
    const auto value = item.is_number() ? item.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value) || *value <= 0)
      fail(key, "every item of the list must be a number above 0");
    if (std::ranges::find(values, *value) != values.end())
      fail(key, fmt::format("{} is in the list twice; remove one", *value));
    values.push_back(*value);
  }
  return values;
}

std::vector<std::string> Section::text_list(std::string_view key, std::vector<std::string> fallback) {
  toml::node const* node = find(key);
  if (!node) return fallback;
  if (!node->is_array()) fail(key, "the value must be a list of texts, for instance [\"flat\"]");
  if (node->as_array()->empty())
    fail(key, "the list is empty; give one text or more, for instance [\"flat\"]");
  std::vector<std::string> values;
  for (auto const& item : *node->as_array()) {
    if (!item.is_string()) fail(key, "every item of the list must be a text in quotes");
    const auto& text = item.as_string()->get();
    if (std::ranges::find(values, text) != values.end())
      fail(key, fmt::format("'{}' is in the list twice; remove one", model::echo(text)));
    values.push_back(text);
  }
  return values;
}

std::filesystem::path Section::path(std::string_view key) {
  const std::string value = text(key, "");
  if (value.empty()) return {};
  return file_.parent_path() / value;
}

void Section::finish() const {
  if (!table_) return;
  for (auto const& [key, node] : *table_)
    if (!asked_.contains(key.str()))
      throw std::invalid_argument(fmt::format("{}:{}: [{}] {}: unknown key; the keys of this section are: {}",
                                              file_.string(), node.source().begin.line, name_,
                                              model::echo(key.str()), fmt::join(asked_, ", ")));
}

toml::table parse_input(std::filesystem::path const& file, std::string_view text,
                        std::span<const std::string_view> sections) {
  check_nesting(file, text);
  toml::table root;
  try {
    root = toml::parse(text, file.string());
  } catch (toml::parse_error const& error) {
    throw std::invalid_argument(fmt::format("{}:{}: this is not valid TOML; correct this line (parser: {})",
                                            file.string(), error.source().begin.line,
                                            model::echo(error.description(), 200)));
  }
  for (auto const& [key, node] : root)
    if (std::ranges::find(sections, key.str()) == sections.end())
      throw std::invalid_argument(fmt::format("{}:{}: unknown section [{}]; the sections are: {}",
                                              file.string(), node.source().begin.line, model::echo(key.str()),
                                              fmt::join(sections, ", ")));
  return root;
}

}  // namespace ddproxy
