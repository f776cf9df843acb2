// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/tensor_layout.hpp"

#include <gtest/gtest.h>

#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {
namespace {

TEST(TensorLayout, TensorsFollowEachOtherWithoutGapsInReadyOrder) {
  const auto pass = backward_pass(find_preset("tiny"));
  TensorLayout const& layout = pass.gradients;
  std::size_t next = 0;
  for (std::size_t tensor = 0; tensor < layout.size(); ++tensor) {
    EXPECT_EQ(layout[tensor].slice(), (Slice{next, static_cast<std::size_t>(layout[tensor].numel)}));
    EXPECT_EQ(layout.bytes()[tensor], 4 * layout[tensor].numel);
    EXPECT_EQ(layout.tensor_of(next), tensor);
    next += static_cast<std::size_t>(layout[tensor].numel);
    EXPECT_EQ(layout.tensor_of(next - 1), tensor);
  }
  EXPECT_EQ(layout.elements(), next);
  EXPECT_EQ(static_cast<std::int64_t>(next), parameters(pass));
}

TEST(TensorLayout, SetsTheOffsetOfEachAddedTensor) {
  TensorLayout layout;
  EXPECT_EQ(layout.elements(), 0U);
  layout.push_back({"a", "l", 3, 0});
  layout.push_back({"b", "l", 4, 1, false, 99});
  EXPECT_EQ(layout[0].slice(), (Slice{0, 3}));
  EXPECT_EQ(layout[1].slice(), (Slice{3, 4}));
  EXPECT_EQ(layout.elements(), 7U);
  EXPECT_EQ(layout.name_of(2), "a[2]");
  EXPECT_EQ(layout.name_of(3), "b[0]");
  EXPECT_EQ(layout.name_of(7), "?");
}

TEST(Slices, OwnPartsAreEqualAndFollowEachOther) {
  EXPECT_EQ(own_part({5, 12}, 3, 0), (Slice{5, 4}));
  EXPECT_EQ(own_part({5, 12}, 3, 2), (Slice{13, 4}));
  EXPECT_EQ(own_part({5, 12}, 1, 0), (Slice{5, 12}));
}

TEST(Slices, AShardedSliceIsPaddedAtItsEnd) {
  const ShardedSlice sharded{{100, 10}, 4};
  EXPECT_EQ(sharded.part(), 3U);
  EXPECT_EQ(sharded.padded(), 12U);
  EXPECT_EQ(sharded.padding(), 2U);
  EXPECT_EQ(sharded.held(0), (Slice{100, 3}));
  EXPECT_EQ(sharded.held(2), (Slice{106, 3}));
  EXPECT_EQ(sharded.held(3), (Slice{109, 1}));
}

TEST(Slices, ShardsAfterTheEndOfTheModelHoldNoElements) {
  const ShardedSlice sharded{{100, 5}, 4};
  EXPECT_EQ(sharded.held(2), (Slice{104, 1}));
  EXPECT_EQ(sharded.held(3), (Slice{105, 0}));
}

}  // namespace
}  // namespace ddproxy::model
