// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/tensor_layout.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ddproxy::model {
namespace {

TEST(TensorLayout, TensorsLieOneBehindTheOtherInReadyOrder) {
  const auto pass = backward_pass(find_preset("tiny"));
  const TensorLayout layout(pass);
  ASSERT_EQ(layout.tensors(), pass.gradients.size());
  std::size_t next = 0;
  for (std::size_t tensor = 0; tensor < layout.tensors(); ++tensor) {
    EXPECT_EQ(layout[tensor], (Slice{next, static_cast<std::size_t>(pass.gradients[tensor].numel)}));
    EXPECT_EQ(layout.of(pass.gradients[tensor].name), layout[tensor]);
    EXPECT_EQ(layout.tensor_of(next), tensor);
    next = layout[tensor].end();
    EXPECT_EQ(layout.tensor_of(next - 1), tensor);
  }
  EXPECT_EQ(layout.elements(), next);
  EXPECT_EQ(static_cast<std::int64_t>(next), parameters(pass));
  EXPECT_EQ(layout.run(0, layout.tensors() - 1), (Slice{0, next}));
  EXPECT_EQ(layout.run(2, 3), (Slice{layout[2].offset, layout[2].count + layout[3].count}));
}

TEST(TensorLayout, AnUnknownNameIsAnError) {
  EXPECT_THROW(TensorLayout(backward_pass(find_preset("tiny"))).of("h.9"), std::logic_error);
}

}  // namespace
}  // namespace ddproxy::model
