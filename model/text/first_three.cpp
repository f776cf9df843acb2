// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/first_three.hpp"

#include <algorithm>

namespace ddproxy::model {

std::string first_three(std::vector<std::string> const& texts) {
  const std::size_t named = std::min(texts.size(), most_named), others = texts.size() - named;
  std::string all;
  for (std::size_t k = 0; k < named; ++k) all += (k > 0 ? "; " : "") + texts[k];
  if (others == 0) return all;
  return all + "; and " + std::to_string(others) + (others == 1 ? " other" : " others");
}

}  // namespace ddproxy::model
