// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace ddproxy {

/// Stores the function that ends the process if the main thread is stuck in a call of a collective. `end`
/// gets the error message and runs on the thread of a watchdog. It must not call MPI, because the main thread
/// is still in its call of MPI. An empty `end` removes the stored function. Any thread may call
/// on_stuck_main_thread(). Runtime::limit_calls() (miniapp/machine/runtime.hpp) calls it.
///
/// Problem: a thread that is stuck in a call can neither throw nor catch StuckCall (errors.hpp).
void on_stuck_main_thread(std::function<void(std::string const& error)> end);
/// Calls the function that on_stuck_main_thread() stored last. Does nothing if it has stored none.
void end_stuck_main_thread(std::string const& error);

}  // namespace ddproxy
