// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/interruption.hpp"

#include "miniapp/errors/errors.hpp"

namespace ddproxy {

bool signalled(Runtime const& runtime) {
  return runtime.maximum(signalled()) > 0;
}

void stop_where_signalled(Runtime const& runtime) {
  if (signalled(runtime)) throw CollectiveError(exit_interrupted, interrupted_text);
}

}  // namespace ddproxy
