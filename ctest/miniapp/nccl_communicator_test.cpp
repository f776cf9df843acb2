// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/nccl_communicator.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "miniapp/errors/errors.hpp"

// Tests how failures of NCCL are reported, on machines that may have no device. The functions below replace
// those functions of the library that this program uses.
namespace {

struct StandIn {
  int version = 22809;
  ncclResult_t initialised = ncclSuccess;
  ncclResult_t asynchronous = ncclSuccess;
  int questions_at_work = 0;  // how many more answers are "in progress"
  enum Call { none, making, reducing, aborting, ending } hangs = none;
  int aborted = 0, destroyed = 0, reduced = 0;
  std::string log;

  void enter(Call call) const {
    while (hangs == call) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
};

StandIn* nccl = nullptr;
int memory_of_a_communicator = 0;

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
  *version = nccl->version;
  return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = {};
  return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* made, int, ncclUniqueId, int, ncclConfig_t* config) {
  EXPECT_EQ(config->blocking, 1);
  nccl->enter(StandIn::making);
  if (nccl->initialised == ncclSuccess) *made = reinterpret_cast<ncclComm_t>(&memory_of_a_communicator);
  return nccl->initialised;
}
ncclResult_t ncclAllReduce(void const*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t communicator,
                           cudaStream_t) {
  EXPECT_NE(communicator, nullptr);
  nccl->enter(StandIn::reducing);
  ++nccl->reduced;
  return ncclSuccess;
}
// The next five functions record their names and one argument in the log.
ncclResult_t ncclReduceScatter(void const*, void*, size_t count, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                               cudaStream_t) {
  nccl->log += "reduce_scatter of " + std::to_string(count) + " ";
  return ncclSuccess;
}
ncclResult_t ncclAllGather(void const*, void*, size_t count, ncclDataType_t, ncclComm_t, cudaStream_t) {
  nccl->log += "all_gather of " + std::to_string(count) + " ";
  return ncclSuccess;
}
ncclResult_t ncclBroadcast(void const*, void*, size_t, ncclDataType_t, int root, ncclComm_t, cudaStream_t) {
  nccl->log += "broadcast from " + std::to_string(root) + " ";
  return ncclSuccess;
}
ncclResult_t ncclSend(void const*, size_t, ncclDataType_t, int peer, ncclComm_t, cudaStream_t) {
  nccl->log += "send to " + std::to_string(peer) + " ";
  return ncclSuccess;
}
ncclResult_t ncclRecv(void*, size_t, ncclDataType_t, int peer, ncclComm_t, cudaStream_t) {
  nccl->log += "receive from " + std::to_string(peer) + " ";
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state) {
  EXPECT_NE(communicator, nullptr);
  *state = nccl->questions_at_work-- > 0 ? ncclInProgress : nccl->asynchronous;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  EXPECT_NE(communicator, nullptr);
  nccl->enter(StandIn::aborting);
  ++nccl->aborted;
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t) {
  nccl->enter(StandIn::ending);
  ++nccl->destroyed;
  return ncclSuccess;
}
char const* ncclGetErrorString(ncclResult_t) {
  return "what NCCL calls it";
}
char const* ncclGetLastError(ncclComm_t) {
  return "its last words";
}

namespace ddproxy {
namespace {

struct Nccl : testing::Test {
  StandIn library;
  Nccl() { nccl = &library; }

  // Returns the message of the exception that `work` throws.
  template <class Work>
  static std::string complaint(Work const& work) {
    try {
      work();
    } catch (std::runtime_error const& error) {
      return error.what();
    }
    return "";
  }
};

void average(NcclCommunicator& communicator, std::string const& what) {
  communicator.enqueue({model::Verb::all_reduce, nullptr, nullptr, 1, ncclFloat, ncclAvg}, nullptr, what);
}

TEST_F(Nccl, TheCommunicatorIsDestroyedIfThereWasNoError) {
  {
    NcclCommunicator communicator(MPI_COMM_WORLD, 60);
    average(communicator, "bucket 0");
    communicator.enqueue({model::Verb::all_reduce, nullptr, nullptr, 1, ncclBfloat16, ncclSum}, nullptr,
                         "bucket 1");
    communicator.check_errors("bucket 1");
  }
  EXPECT_EQ(library.reduced, 2);
  EXPECT_EQ(library.destroyed, 1);
  EXPECT_EQ(library.aborted, 0);
}

TEST_F(Nccl, EachVerbCallsItsNcclFunctionWithItsCountRootOrPeer) {
  NcclCommunicator communicator(MPI_COMM_WORLD, 60);
  using model::Verb;
  for (const auto verb : {Verb::reduce_scatter, Verb::all_gather, Verb::broadcast, Verb::send, Verb::receive})
    communicator.enqueue({verb, nullptr, nullptr, 7, ncclFloat, ncclAvg, 3}, nullptr, "a call");
  EXPECT_EQ(library.log, "reduce_scatter of 7 all_gather of 7 broadcast from 3 send to 3 receive from 3 ");
}

TEST_F(Nccl, TheTimeLimitIsForOneCallAndNotForAllCallsTogether) {
  NcclCommunicator communicator(MPI_COMM_WORLD, 1);
  for (int i = 0; i < 12; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto watched = communicator.watch("a bucket");
    average(communicator, "a bucket");
  }
  EXPECT_EQ(library.reduced, 12);
}

TEST_F(Nccl, AnAsynchronousErrorIsReportedOnceAndAbortsTheCommunicator) {
  NcclCommunicator communicator(MPI_COMM_WORLD, 60);
  library.asynchronous = ncclSystemError;
  const auto words = complaint([&] { communicator.check_errors("bucket 3"); });
  EXPECT_NE(words.find("rank 0: NCCL: bucket 3: what NCCL calls it: its last words"), std::string::npos)
      << words;
  EXPECT_EQ(library.aborted, 1);
  EXPECT_EQ(complaint([&] { communicator.check_errors("bucket 4"); }), "");  // reported only once
}

TEST_F(Nccl, ACallWaitsWhileNcclIsInProgress) {
  NcclCommunicator communicator(MPI_COMM_WORLD, 60);
  library.questions_at_work = 100;
  average(communicator, "bucket 0");
  EXPECT_LT(library.questions_at_work, 0);
  EXPECT_EQ(library.aborted, 0);
}

TEST_F(Nccl, ACallThatStaysInProgressIsAbortedAfterTheTimeLimit) {
  NcclCommunicator communicator(MPI_COMM_WORLD, 0.5);
  library.asynchronous = ncclInProgress;
  EXPECT_EQ(complaint([&] { average(communicator, "bucket 5"); }),
            "rank 0: NCCL: bucket 5 made no progress for 0.5 s (allreduce.timeout_s)");
  EXPECT_EQ(library.aborted, 1);
}

TEST_F(Nccl, TheCommunicatorIsAbortedIfAnotherErrorIsThrown) {
  complaint([&] {
    NcclCommunicator communicator(MPI_COMM_WORLD, 60);
    throw std::runtime_error("another error");
  });
  EXPECT_EQ(library.aborted, 1);
  EXPECT_EQ(library.destroyed, 0);
}

TEST_F(Nccl, AnErrorOfTheInitialisationIsReportedAndAbortsNothing) {
  library.initialised = ncclSystemError;
  const auto words = complaint([&] { NcclCommunicator communicator(MPI_COMM_WORLD, 60); });
  EXPECT_NE(words.find("what NCCL calls it"), std::string::npos) << words;
  EXPECT_EQ(library.aborted, 0);
}

TEST_F(Nccl, ALibraryThatIsTooOldIsRefused) {
  library.version = 20908;
  const auto words = complaint([&] { NcclCommunicator communicator(MPI_COMM_WORLD, 60); });
  EXPECT_NE(words.find("NCCL 2.9.8 is too old"), std::string::npos) << words;
}

// Uses the communicator in a process in which a call of this kind never returns.
void use_with(StandIn::Call hanging) {
  NcclCommunicator communicator(MPI_COMM_WORLD, 0.5);
  nccl->hangs = hanging;
  {
    const auto watched = communicator.watch("the all-reduce of bucket 2");
    average(communicator, "the all-reduce of bucket 2");
    while (hanging == StandIn::none)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // as if stuck in the driver
  }
  if (hanging == StandIn::aborting) communicator.abort("another error");
}

TEST_F(Nccl, ACallThatDoesNotReturnEndsTheProcessAndIsNamed) {
  GTEST_FLAG_SET(death_test_style, "fast");  // the other style would start MPI a second time
  const auto ends = testing::ExitedWithCode(exit_run_time);
  EXPECT_EXIT(use_with(StandIn::reducing), ends,
              "ddproxy: rank 0: NCCL: the all-reduce of bucket 2 did not complete within 0.5 s");
  EXPECT_EXIT(use_with(StandIn::none), ends, "NCCL: the all-reduce of bucket 2 did not complete");
  EXPECT_EXIT(use_with(StandIn::ending), ends, "NCCL: ending the communicator did not complete");
  EXPECT_EXIT(use_with(StandIn::aborting), ends, "NCCL: aborting after \"another error\" did not complete");
  library.hangs = StandIn::making;
  EXPECT_EXIT(NcclCommunicator(MPI_COMM_WORLD, 0.5), ends, "NCCL: making the communicator did not complete");
}

}  // namespace
}  // namespace ddproxy

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  MPI_Init(&argc, &argv);
  const int status = RUN_ALL_TESTS();
  MPI_Finalize();
  return testing::UnitTest::GetInstance()->test_to_run_count() == 0 ? 1 : status;
}
