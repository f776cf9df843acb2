// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/step_input.hpp"

#include <stdexcept>
#include <string>

#include "miniapp/input/kernel_memory.hpp"

namespace ddproxy {
namespace {

void check_batch(StepInput const& input, TokenBatch const& batch) {
  const auto tokens = static_cast<std::size_t>(input.tokens.count());
  if (batch.inputs.size() != tokens || batch.targets.size() != tokens)
    throw std::invalid_argument("step: a micro-batch has " + std::to_string(batch.inputs.size()) +
                                " input and " + std::to_string(batch.targets.size()) +
                                " target tokens, but must have " + std::to_string(tokens) + " each");
  for (auto const* list : {&batch.inputs, &batch.targets})
    for (const int token : *list)
      if (token < 0 || token >= input.shape.vocabulary)
        throw std::invalid_argument("step: token " + std::to_string(token) +
                                    " is not one of the tokens 0 to " +
                                    std::to_string(input.shape.vocabulary - 1) + " of the vocabulary");
}

}  // namespace

void check_input(StepInput const& input, model::StepGraph const& graph) {
  model::check(input.shape);
  check_tokens(input.shape, input.tokens);
  if (input.batches.size() != static_cast<std::size_t>(graph.expected.micro_batches))
    throw std::invalid_argument("step: there are tokens for " + std::to_string(input.batches.size()) +
                                " micro-batches, but the step has " +
                                std::to_string(graph.expected.micro_batches));
  for (auto const& batch : input.batches) check_batch(input, batch);
  if (graph.expected.clipped && !(input.clip.value_or(0) > 0))
    throw std::invalid_argument("step: clip is " + std::to_string(input.clip.value_or(0)) +
                                "; the largest norm of the gradients must be positive");
}

}  // namespace ddproxy
