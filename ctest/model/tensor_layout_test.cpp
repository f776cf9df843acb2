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

TEST(Slices, OwnPartsAreEqualAndFollowEachOther) {
  EXPECT_EQ(own_part({5, 12}, 3, 0), (Slice{5, 4}));
  EXPECT_EQ(own_part({5, 12}, 3, 2), (Slice{13, 4}));
  EXPECT_EQ(own_part({5, 12}, 1, 0), (Slice{5, 12}));
}

TEST(Slices, AShardedSliceIsPaddedAtItsEnd) {
  const ShardedSlice run{{100, 10}, 4};
  EXPECT_EQ(run.part(), 3U);
  EXPECT_EQ(run.padded(), 12U);
  EXPECT_EQ(run.padding(), 2U);
  EXPECT_EQ(run.held(0), (Slice{100, 3}));
  EXPECT_EQ(run.held(2), (Slice{106, 3}));
  EXPECT_EQ(run.held(3), (Slice{109, 1}));
}

TEST(Slices, ShardsBehindTheModelHoldNothing) {
  const ShardedSlice run{{100, 5}, 4};
  EXPECT_EQ(run.held(2), (Slice{104, 1}));
  EXPECT_EQ(run.held(3), (Slice{105, 0}));
}

}  // namespace
}  // namespace ddproxy::model
