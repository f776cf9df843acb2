// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/errors/errors.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace ddproxy {

void check_mpi(int status, std::source_location where) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(status, text, &length);
  const auto file = std::filesystem::path(where.file_name()).filename().string();
  throw std::runtime_error(fmt::format("MPI: {} ({}:{})", text, file, where.line()));
}

}  // namespace ddproxy
