// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/sent_share.hpp"

namespace ddproxy::model {

double sent_share(Verb verb, std::size_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (verb) {
    case Verb::all_reduce:
      return 2 * (n - 1) / n;
    case Verb::reduce_scatter:
    case Verb::all_gather:
      return (n - 1) / n;
    case Verb::broadcast:
    case Verb::send:
      return 1;
    case Verb::receive:
      break;
  }
  return 0;
}

}  // namespace ddproxy::model
