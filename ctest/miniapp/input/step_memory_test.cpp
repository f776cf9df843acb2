// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/step_memory.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/sizes/scratch.hpp"
#include "model/step/strategies/whole_step.hpp"

namespace ddproxy {
namespace {

model::StepGraph step_of(model::Shape const& shape, model::Strategy const& strategy) {
  return model::whole_step(model::backward_pass(shape), model::forward_pass(shape), 2 * 16, strategy, 1)
      .classes.front()
      .graph;
}

TEST(StepMemory, HoldsEachBufferOfTheGraphOnceOnItsOwnCacheLines) {
  constexpr std::size_t line = 16;
  for (char const* preset : {"tiny", "cs336-s"})
    for (const auto checkpoint : {model::Checkpoint::none, model::Checkpoint::layer}) {
      const auto graph =
          step_of(model::find_preset(preset),
                  {.clipped = true, .optimizer = model::Optimizer::adamw, .checkpoint = checkpoint});
      const StepPlaces places = place_buffers(graph);
      ASSERT_EQ(places.first.size(), graph.buffers.size());
      std::size_t end = 0;
      for (std::size_t b = 0; b < graph.buffers.size(); ++b) {
        EXPECT_EQ(places.first[b] % line, 0U);
        EXPECT_GE(places.first[b], end);
        EXPECT_LT(places.first[b], end + line);
        end = places.first[b] + graph.buffers[b].elements;
      }
      EXPECT_GE(places.elements, end);
      EXPECT_LT(places.elements, end + line);
    }
}

TEST(StepMemory, RefusesBuffersOfOtherTypesThanFp32) {
  auto graph = step_of(model::find_preset("tiny"), {});
  graph.buffers.front().type = model::DataType::bf16;
  EXPECT_THROW(place_buffers(graph), std::invalid_argument);
}

TEST(StepMemory, WorkBuffersDependOnThePartsOfTheModel) {
  const model::Shape gpt2 = model::find_preset("tiny"), llama = model::find_preset("llama3-8b");
  const auto of_gpt2 = work_buffers(gpt2, {2, 16}, 4), of_llama = work_buffers(llama, {2, 16}, 4);
  EXPECT_EQ(of_gpt2, (std::vector<std::int64_t>{kernel_scratch(gpt2, {2, 16}, 4), 0}));  // no rotations
  EXPECT_EQ(of_llama[1], kernels::rope_table_elements(16, 128));
  EXPECT_EQ(of_llama[0], kernels::heads::attention_scratch(4, {2, 16, 32, 128, 8}));
  EXPECT_EQ(result_buffers(3).front(), 2 * 3);  // 3 doubles, in elements of 4 bytes
}

}  // namespace
}  // namespace ddproxy
