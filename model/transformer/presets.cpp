// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/presets.hpp"

#include <span>
#include <stdexcept>
#include <string>

#include "model/text/echo.hpp"

namespace ddproxy::model {

Shape find_preset(std::string_view name) {
  std::string known;
  for (const std::span<const Preset> list :
       {std::span<const Preset>(presets), std::span<const Preset>(llama_presets)}) {
    for (auto const& preset : list) {
      if (preset.name == name) return preset.shape;
      known += (known.empty() ? "" : ", ") + std::string(preset.name);
    }
  }
  throw std::invalid_argument("there is no preset \"" + echo(name) + "\"; the presets are " + known);
}

}  // namespace ddproxy::model
