// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/percent.hpp"

#include <cstdio>

namespace ddproxy::results {
namespace {

std::string formatted(char const* format, double share) {
  char text[32];
  std::snprintf(text, sizeof text, format, share * 100.0);
  return text;
}

}  // namespace

std::string percent(double share) {
  return formatted("%.2f %%", share);
}

std::string signed_percent(double share) {
  return formatted("%+.2f %%", share);
}

}  // namespace ddproxy::results
