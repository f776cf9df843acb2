// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/joint_lanes.hpp"

#include <span>
#include <string>
#include <utility>

namespace ddproxy {
namespace {

// One lane of a JointDriver, which all lanes own together.
class JointLane : public CommunicationLane {
 public:
  JointLane(std::shared_ptr<JointDriver> driver, CallQueue& queue)
      : driver_(std::move(driver)), queue_(queue) {}
  void begin(std::size_t calls) override { queue_.begin(calls); }
  void start(CollectiveCall const& call, Completion ready) override {
    driver_->post(queue_, {&call, 1}, ready);
  }
  void start_group(std::span<const CollectiveCall> calls, Completion ready) override {
    driver_->post(queue_, calls, ready);
  }
  void make_room(std::size_t largest_group) override { queue_.make_room(largest_group); }
  void progress() override { driver_->progress(); }
  void wait_all() override { driver_->wait(queue_, queue_.posted()); }
  Completion wait_for(std::size_t call) override {
    driver_->wait(queue_, call + 1);
    return {queue_.done()[call].end};
  }
  Completion completion_of(std::size_t call) override { return queue_.completion_of(call); }
  std::vector<FinishedCall> const& finished() const override { return queue_.done(); }
  ElementsByVerb elements_handed_over() const override { return queue_.engine().elements_handed_over(); }
  std::string description() const override {
    return queue_.engine().description() +
           (driver_->has_thread() ? ", a thread for all lanes" : ", poll of all lanes");
  }

 private:
  std::shared_ptr<JointDriver> driver_;
  CallQueue& queue_;
};

}  // namespace

std::vector<std::unique_ptr<CommunicationLane>> make_joint_lanes(
    std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling) {
  auto driver = std::make_shared<JointDriver>(std::move(engines), polling);
  std::vector<std::unique_ptr<CommunicationLane>> lanes;
  for (std::size_t lane = 0; lane < driver->lanes(); ++lane)
    lanes.push_back(std::make_unique<JointLane>(driver, driver->queue(lane)));
  return lanes;
}

}  // namespace ddproxy
