// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/threaded_lane.hpp"

namespace ddproxy {

ThreadedLane::ThreadedLane(std::unique_ptr<CollectiveEngine> engine, ThreadPlace place, int rank)
    : worker_(std::make_shared<LaneWorker>(std::move(engine), place, rank)),
      thread_([worker = worker_] { worker->work(); }) {}

ThreadedLane::~ThreadedLane() {
  worker_->quit();
  if (worker_->stuck())
    thread_.detach();
  else
    thread_.join();
}

Completion ThreadedLane::wait_for(std::size_t number) {
  worker_->wait(number + 1);
  return {finished()[number].end};
}

}  // namespace ddproxy
