// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/nccl_message.hpp"

#include <gtest/gtest.h>

#include <vector>

// Tests the arguments of NCCL's calls. The test calls neither NCCL nor a device.
namespace ddproxy {
namespace {

using model::Verb;

constexpr Slice full{6, 12}, none{0, 0};
constexpr GroupPlace root{0, 3}, other{1, 3};

struct Message : testing::Test {
  std::vector<float> memory = std::vector<float>(40);
  float* at(std::size_t element) { return memory.data() + element; }
  NcclMessage of(CollectiveCall const& call, GroupPlace place) {
    check_call(call, place);
    return nccl_message(call, place, memory.data());
  }
  void expect(NcclMessage const& message, std::size_t send, std::size_t receive, std::size_t count) {
    EXPECT_EQ(message.send, at(send));
    EXPECT_EQ(message.receive, at(receive));
    EXPECT_EQ(message.count, count);
  }
};

TEST_F(Message, AnAllReduceHasItsReductionOperation) {
  const auto average = of(all_reduce(full), other);
  expect(average, 6, 6, 12);
  EXPECT_EQ(average.operation, ncclAvg);
  EXPECT_EQ(average.type, ncclFloat);
  CollectiveCall sum = all_reduce(full);
  sum.reduction = model::Reduction::sum;
  EXPECT_EQ(of(sum, other).operation, ncclSum);
}

TEST_F(Message, ReduceScatterAndAllGatherCountTheElementsOfOneRank) {
  expect(of(in_place(Verb::reduce_scatter, full, other), other), 6, 10, 4);
  expect(of(in_place(Verb::all_gather, full, other), other), 10, 6, 4);
  expect(of({Verb::reduce_scatter, full, {30, 4}}, other), 6, 30, 4);
}

// In a step the slice that a rank does not use is {0, 0}. in_place() gives it the offset of the slice that is
// used. If the root received at element 0, NCCL would overwrite the 12 elements there.
TEST_F(Message, ABroadcastReadsAndAssignsTheSameElementsOnEveryRank) {
  for (const Slice unused : {none, Slice{6, 0}}) {
    expect(of({Verb::broadcast, full, unused, 0}, root), 6, 6, 12);
    expect(of({Verb::broadcast, unused, full, 0}, other), 6, 6, 12);
  }
  EXPECT_EQ(of({Verb::broadcast, none, full, 2}, other).root_or_peer, 2);
}

TEST_F(Message, SendAndReceiveHaveTheirSliceAndTheirPeer) {
  const auto send = of({Verb::send, full, none, 2}, other);
  EXPECT_EQ(send.send, at(6));
  EXPECT_EQ(send.count, 12U);
  EXPECT_EQ(send.root_or_peer, 2);
  const auto receive = of({Verb::receive, none, full, 0}, other);
  EXPECT_EQ(receive.receive, at(6));
  EXPECT_EQ(receive.count, 12U);
  EXPECT_EQ(receive.root_or_peer, 0);
}

}  // namespace
}  // namespace ddproxy
