// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/compare_options.hpp"

#include <charconv>
#include <stdexcept>

#include "model/text/echo.hpp"

namespace ddproxy::results {

std::pair<std::filesystem::path, std::string> split_label(std::string const& text) {
  std::error_code absent;
  const auto sign = text.find('=');
  if (sign == std::string::npos || std::filesystem::exists(text, absent)) return {text, ""};
  if (sign == 0 || sign + 1 == text.size())
    throw std::invalid_argument("--rank-machines: '" + model::echo(text) + "' lacks its " +
                                (sign ? "file" : "label") + ": give FILE or LABEL=FILE");
  return {text.substr(sign + 1), text.substr(0, sign)};
}

double parse_share(std::string const& option, std::string const& text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool is_percent = rest != end && *rest == '%' && rest + 1 == end;
  if (is_percent) value /= 100.0;
  if (error != std::errc() || (rest != end && !is_percent) || !(value > 0.0 && value < 1.0))
    throw std::invalid_argument(option + " " + model::echo(text) +
                                ": give a share above 0 and below 100 %, such as 2% or 0.02");
  return value;
}

}  // namespace ddproxy::results
