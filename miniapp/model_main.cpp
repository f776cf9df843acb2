// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// ddproxy-model: the commands of ddproxy that work on a login node. It needs neither Kokkos nor MPI.
#include <fmt/format.h>

#include <stdexcept>

#include "miniapp/input/options/parse_options.hpp"
#include "miniapp/input/options/version.hpp"
#include "miniapp/predict/login_node.hpp"
#include "results/output/standard_streams.hpp"

namespace {

int start(int argc, char** argv) {
  constexpr int usage = 2;
  int exit_code = 0;
  const auto options =
      ddproxy::parse_options(argc, argv, ddproxy::version, true, exit_code, ddproxy::Program::predicts);
  if (!options) return exit_code;
  if (ddproxy::works_on_login_node(*options)) return ddproxy::run_on_login_node(*options);
  ddproxy::results::say_error(fmt::format(
      "ddproxy-model: the command '{0}' measures, but this program only predicts and compares. Run 'ddproxy "
      "{0}' to measure, or add --dry-run to see what it would measure",
      options->command));
  return usage;
}

}  // namespace

int main(int argc, char** argv) try {
  ddproxy::results::prepare_standard_streams();
  const int exit_code = start(argc, argv);
  if (exit_code == 0) ddproxy::results::flush_standard_output();
  return exit_code;
} catch (std::invalid_argument const& error) {
  ddproxy::results::say_error(fmt::format("ddproxy-model: {}", error.what()));
  return 2;
} catch (std::exception const& error) {
  ddproxy::results::say_error(fmt::format("ddproxy-model: {}", error.what()));
  return 4;
}
