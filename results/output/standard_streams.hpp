// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ddproxy::results {

/// Prepares the standard streams. Call it first in main().
///
/// A standard descriptor (0 to 2) that is closed is opened on /dev/null. Otherwise another file could get its
/// number, and printed text would land in that file. SIGPIPE and SIGXFSZ are ignored. The write call then
/// fails with an error code if the reader of a pipe has exited, or if a file would exceed the size limit.
void prepare_standard_streams();

/// Prints the text and a line end on standard error, with control characters escaped (model/text/echo.hpp). A
/// failure is ignored, because it cannot be reported anywhere.
void say_error(std::string_view text) noexcept;

/// Prints the text on standard output. A failure is stored and reported by flush_standard_output(), so that
/// the caller can finish its work first.
void print_output(std::string_view text) noexcept;

/// Flushes standard output. Call it before the program ends with an exit code that promises complete output.
/// Throws std::runtime_error with the reason if some printed text could not be written.
void flush_standard_output();

}  // namespace ddproxy::results
