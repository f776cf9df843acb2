// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/step/step_graph.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Returns the index of the output head in BackwardPass::operations if its weight is the token embedding.
/// Then the head assigns the gradient of this weight. The operator of the token embedding, the last one of
/// the backward pass, adds to this gradient and completes it. Returns nothing if the head has a weight of its
/// own.
std::optional<std::size_t> tied_head(BackwardPass const& pass);

/// Returns the elements of each gradient, in ready order, and the operators that contribute to it. The
/// gradient of a tied embedding, the last one, has two such operators.
std::vector<ExpectedGradient> expected_gradients(BackwardPass const& pass);

}  // namespace ddproxy::model
