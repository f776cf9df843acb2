// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/read_text.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace ddproxy::model {

std::string read_text(std::filesystem::path const& file, std::size_t most_bytes) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file))
    throw std::invalid_argument(file.string() + ": cannot be opened for reading; check the path");
  std::string text;
  std::string block(1 << 16, '\0');
  while (text.size() <= most_bytes && stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (text.size() > most_bytes)
    throw std::invalid_argument(file.string() + ": the file is larger than " +
                                std::to_string(most_bytes >> 20) +
                                " MiB, the limit for such a file; check the path");
  return text;
}

}  // namespace ddproxy::model
