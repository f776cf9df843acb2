// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/allreduce_threaded.hpp"

namespace ddproxy {

ThreadedAllreduce::ThreadedAllreduce(std::unique_ptr<AllreduceEngine> engine, bool own_core, int rank)
    : worker_(std::make_shared<AllreduceWorker>(std::move(engine), own_core, rank)),
      thread_([worker = worker_] { worker->work(); }) {}

ThreadedAllreduce::~ThreadedAllreduce() {
  worker_->quit();
  if (worker_->stuck())
    thread_.detach();
  else
    thread_.join();
}

Completion ThreadedAllreduce::wait_for(std::size_t bucket) {
  worker_->wait(bucket + 1);
  return {reduced()[bucket].end};
}

}  // namespace ddproxy
