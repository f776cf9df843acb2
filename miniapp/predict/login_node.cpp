// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/login_node.hpp"

#include <iostream>
#include <stdexcept>

#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/predict/account/account.hpp"
#include "miniapp/predict/account/memory.hpp"
#include "miniapp/predict/account/published_steps.hpp"
#include "miniapp/predict/dry_run.hpp"
#include "miniapp/predict/predict.hpp"
#include "model/text/echo.hpp"
#include "results/compare.hpp"

namespace ddproxy {

bool works_on_login_node(Options const& options) {
  auto const& command = options.command;
  return options.dry_run || command == "predict" || command == "account" || command == "memory" ||
         command == "compare" || !options.against.empty();
}

namespace {

int run(Options const& options) {
  if (options.command == "compare") return results::compare(options.compare, std::cout, std::cerr);
  if (!options.against.empty()) return step_against(options, std::cout);
  if (options.command == "account") return account_command(options, std::cout);
  if (options.command == "memory") return memory_command(options, std::cout);
  if (options.command == "predict") return predict(options, std::cout, std::cerr);
  const Config config = read_config(options.input);
  const Workload workload = make_workload(config);
  const bool alone = options.command == "collectives" || options.command == "allreduce";
  std::cout << (alone                         ? describe_collectives_plan(options, config, workload)
                : options.command == "step"   ? describe_step_plan(config, workload)
                : options.command == "layers" ? describe_layers_plan(config, workload)
                                              : describe_plan(config, workload));
  return 0;
}

}  // namespace

// Replaces the control characters in an error message. There may be some, because a message can quote the
// name of a file.
int run_on_login_node(Options const& options) try {
  return run(options);
} catch (std::invalid_argument const& error) {
  throw std::invalid_argument(model::printable(error.what()));
}

}  // namespace ddproxy
