// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/login_node.hpp"

#include <iostream>

#include "planner/dry_run.hpp"
#include "planner/predict.hpp"

namespace ddproxy {

bool works_on_login_node(Options const& options) {
  return options.dry_run || options.command == "predict" || options.command == "compare";
}

int run_on_login_node(Options const& options) {
  if (options.command == "compare") return results::compare(options.compare, std::cout, std::cerr);
  if (options.command == "predict") return predict(options, std::cout, std::cerr);
  const Config config = read_config(options.input);
  std::cout << describe_plan(config, make_workload(config));
  return 0;
}

}  // namespace ddproxy
