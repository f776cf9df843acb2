// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ddproxy::results {

/// Call it first in main(). A standard descriptor (0 to 2) that is closed is opened on /dev/null, so that no
/// other file gets its number and what is printed does not land in it. SIGPIPE and SIGXFSZ are ignored: a
/// reader that went away and a limit of the file size become errors of the write.
void prepare_standard_streams();

/// Prints the text and a line end on standard error, with control characters escaped (model/text/echo.hpp). A
/// failure changes nothing: nobody is left to be told.
void say_error(std::string_view text) noexcept;

/// Prints the text on standard output. A failure is kept for flush_standard_output(), so that work that is
/// under way comes to its end.
void print_output(std::string_view text) noexcept;

/// Call it before an exit code promises that all was said. Throws std::runtime_error, with the reason, where
/// standard output did not take what was printed.
void flush_standard_output();

}  // namespace ddproxy::results
