// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/against.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "model/text/echo.hpp"

namespace ddproxy::results {
namespace {

// Number of characters of a value that a message quotes. It is large, because values may differ only at their
// ends.
constexpr std::size_t most_compared = 200;

// Names the numbers of a value, for instance "batch 2, sequence 32" for "2, 32". Results files and the files
// of nights contain only the numbers.
std::string named(std::string const& key, std::string const& value) {
  const auto comma = value.rfind(", ");
  const bool is_pair = comma != std::string::npos;
  const std::string first = value.substr(0, comma), last = is_pair ? value.substr(comma + 2) : "";
  if (key == "step" && is_pair) return "batch " + first + ", sequence " + last;
  if (key == "optimizer" && is_pair) return first + (last == "nan" ? ", no clipping" : ", clip " + last);
  if (key == "model" && is_pair) return first + ", parameters " + last;
  return key == "pieces" ? value + " MiB" : value;
}

// Returns the text that separates the parts of a list; empty if the value is not a list.
std::string_view separator_of(std::string_view key) {
  if (key == "flags") return " ";
  if (key == "binding") return "; ";
  return key == "model" || key == "sweep" || key == "host" || key == "mpi" || key == "kokkos" ? ", " : "";
}

// Divides the dimensions of a model, for instance "layers 2 d_model 64", into "layers 2" and "d_model 64".
std::vector<std::string> dimensions_of(std::string const& text) {
  std::istringstream words(text);
  std::vector<std::string> dimensions;
  for (std::string name, value; words >> name; value.clear())
    dimensions.push_back(words >> value ? name + " " + value : name);
  return dimensions;
}

std::vector<std::string> parts_of(std::string const& key, std::string const& text) {
  const auto separator = separator_of(key);
  if (separator.empty()) return {text};
  std::vector<std::string> parts;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + separator.size()) {
    end = text.find(separator, at);
    const auto bracket = text.find('(', at);  // keeps "(kernels: -O3 -mfma)" as one part
    if (key == "flags" && bracket < end) end = text.find(separator, text.find(')', bracket));
    parts.push_back(text.substr(at, end - at));
  }
  if (key != "model") return parts;
  std::vector<std::string> dimensions;
  for (auto const& part : parts) std::ranges::copy(dimensions_of(part), std::back_inserter(dimensions));
  return dimensions;
}

std::string quoted(std::string const& value) {
  return "'" + model::echo(value, most_compared) + "'";
}

// Names at most three of the parts that only `own` has, and says how many more there are.
std::string only_in(std::vector<std::string> own, std::vector<std::string> const& other) {
  std::erase_if(own, [&](auto const& part) { return std::ranges::find(other, part) != other.end(); });
  if (own.empty()) return "none of these";
  std::string text = quoted(own[0]);
  for (std::size_t k = 1; k < std::min<std::size_t>(own.size(), 3); ++k) text += ", " + quoted(own[k]);
  if (own.size() <= 3) return text;
  return text + " and " + std::to_string(own.size() - 3) + (own.size() == 4 ? " other" : " others");
}

}  // namespace

std::string against(std::string const& key, std::string const& a, std::string const& b) {
  const std::string own = named(key, a), its = named(key, b);
  const auto first = parts_of(key, own), other = parts_of(key, its);
  if (std::ranges::is_permutation(first, other)) return quoted(own) + " against " + quoted(its);
  return only_in(first, other) + " against " + only_in(other, first);
}

}  // namespace ddproxy::results
