// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/tied_head.hpp"

#include <algorithm>

namespace ddproxy::model {

std::optional<std::size_t> tied_head(BackwardPass const& pass) {
  const auto head = std::ranges::find(pass.operations, OperationKind::head, &Operation::kind);
  if (head == pass.operations.end()) return std::nullopt;
  const auto h = static_cast<std::size_t>(head - pass.operations.begin());
  if (std::ranges::find(pass.gradients, h, &Gradient::operation) != pass.gradients.end()) return std::nullopt;
  return h;
}

std::vector<ExpectedGradient> expected_gradients(BackwardPass const& pass) {
  std::vector<ExpectedGradient> expected;
  for (Gradient const& gradient : pass.gradients)
    expected.push_back({gradient.slice(), {OperatorId{gradient.operation}}});
  if (const auto head = tied_head(pass)) expected.back().operators.push_back(OperatorId{*head});
  return expected;
}

}  // namespace ddproxy::model
