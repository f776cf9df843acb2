// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::results {

/// Returns the texts separated by commas: "a, b, c".
template <class Texts>
std::string joined(Texts const& texts) {
  std::string all;
  for (auto const& text : texts) {
    if (!all.empty()) all += ", ";
    all += text;
  }
  return all;
}

}  // namespace ddproxy::results
