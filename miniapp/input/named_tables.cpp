// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/named_tables.hpp"

#include <fmt/format.h>

#include <functional>

#include "model/text/csv_table.hpp"
#include "model/text/read_text.hpp"

namespace ddproxy {

std::vector<NamedTable> read_named_tables(Config const& config) {
  std::vector<NamedTable> tables;
  for (auto const& file : {config.times, config.table}) {
    if (file.empty()) continue;
    const auto text = model::read_text(file, model::CsvTable::largest_file);
    tables.push_back({file.string(), fmt::format("{:016x}", std::hash<std::string>{}(text))});
  }
  return tables;
}

}  // namespace ddproxy
