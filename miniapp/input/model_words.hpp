// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy {

/// Returns the name of a model for printed texts. `name` is Config::model.
inline std::string model_words(std::string const& name) {
  return name == "free" ? "model without a preset" : name;
}

}  // namespace ddproxy
