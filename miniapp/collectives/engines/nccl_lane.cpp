// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/nccl_lane.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/collectives/engines/call_pieces.hpp"
#include "miniapp/collectives/engines/nccl_communicator.hpp"
#include "miniapp/collectives/engines/nccl_version.hpp"
#include "miniapp/collectives/engines/wire_device.hpp"
#include "miniapp/device/backoff.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/input/engine_buffers.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {
namespace {

class NcclLane : public CommunicationLane {
 public:
  NcclLane(Config const& config, MPI_Comm communicator, std::span<float> arena, MostElements most)
      : arena_(arena),
        timeout_s_(config.timeout_s),
        priority_(config.priority),
        wire_(config.wire),
        stream_(config.priority == Priority::high),
        exec_(stream_.get()),
        message_(buffers_of_nccl(wire_, most).rounded),
        sums_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "sums"), buffers_of_nccl(wire_, most).results),
        nccl_(communicator, config.timeout_s) {}

  void begin(std::size_t calls) override;
  void start(CollectiveCall const& call, Completion ready) override { start_group({&call, 1}, ready); }
  void start_group(std::span<const CollectiveCall> calls, Completion ready) override;
  void make_room(std::size_t largest_group) override { group_.reserve(largest_group); }
  void wait_all() override;
  Completion wait_for(std::size_t number) override;
  Completion completion_of(std::size_t number) override { return wait_for(number); }
  std::vector<FinishedCall> const& finished() const override;
  ElementsByVerb elements_handed_over() const override { return elements_; }
  std::string description() const override;

 private:
  struct Span {
    gpu::TimedEvent start, end;
  };
  void check(std::span<const CollectiveCall> calls) const;
  void hold_back(Completion const& ready);
  NcclMessage message_of(CollectiveCall const& call);
  void enqueue(CollectiveCall const& call);
  void enqueue_group(std::span<const CollectiveCall> calls);
  void enqueue_packed(CollectiveCall const& call, NcclMessage message);
  void enqueue_and_add(CollectiveCall const& call, NcclMessage message);
  GroupPlace place() const { return {nccl_.rank(), nccl_.ranks()}; }
  void wait_until_done(std::size_t number);

  std::span<float> arena_;
  double timeout_s_;
  Priority priority_;
  WireFormat wire_;
  gpu::OwnStream stream_;
  kernels::Space exec_;  // stream_, as an execution-space instance of Kokkos
  DeviceWire message_;
  kernels::Floats sums_;  // the result of a reduce-scatter in fp32, before it is added (CollectiveCall::adds)
  NcclCommunicator nccl_;
  std::vector<PostedCall> calls_;
  std::vector<NcclMessage> group_;            // messages of the group that is being enqueued
  std::string name_;                          // name of the last call, for error messages
  std::vector<std::unique_ptr<Span>> spans_;  // [call] events, reused in each pass
  mutable std::vector<FinishedCall> done_;    // finished() fills it
  ElementsByVerb elements_;
};

void NcclLane::begin(std::size_t calls) {
  calls_.clear();
  done_.clear();
  calls_.reserve(calls);
  done_.reserve(calls);
  while (spans_.size() < calls) spans_.push_back(std::make_unique<Span>());
}

void NcclLane::check(std::span<const CollectiveCall> calls) const {
  for (auto const& call : calls) {
    calls.size() == 1 ? check_call(call, place()) : check_grouped(call, place());
    if (call.adds && call.assigned.count > sums_.size())
      throw std::invalid_argument(
          fmt::format("reduce_scatter: its result is added to a slice of {} elements, but the lane has room "
                      "for the sums of at most {} elements",
                      call.assigned.count, sums_.size()));
  }
  if (calls.size() > 1 && wire_ != WireFormat::fp32)
    throw std::invalid_argument(
        "NCCL carries out groups of sends and receives only with [allreduce] wire = \"fp32\"");
}

// Makes the stream wait for an event, or for each event of an AllOf. If there is no event, the host waits
// until the given time.
void NcclLane::hold_back(Completion const& ready) {
  if (auto const* all = dynamic_cast<AllOf const*>(ready.event))
    for (auto const& each : all->parts()) hold_back(each);
  else if (ready.event)
    gpu::timed(*ready.event).hold_back(stream_.get());
  else
    sleep_until(ready.when);
}

void NcclLane::start_group(std::span<const CollectiveCall> calls, Completion ready) {
  check(calls);
  const std::size_t first = calls_.size();
  name_call(name_, first, calls.front());
  const auto watched = nccl_.watch(name_.c_str());
  for (auto const& call : calls) calls_.push_back({call, ready});
  hold_back(ready);
  for (std::size_t i = first; i < calls_.size(); ++i) spans_.at(i)->start.record(stream_.get());
  calls.size() == 1 ? enqueue(calls.front()) : enqueue_group(calls);
  for (std::size_t i = first; i < calls_.size(); ++i) spans_[i]->end.record(stream_.get());
}

void NcclLane::enqueue_group(std::span<const CollectiveCall> calls) {
  group_.clear();
  for (auto const& call : calls) group_.push_back(message_of(call));
  nccl_.enqueue_group(group_, stream_.get(), name_);
}

void NcclLane::enqueue(CollectiveCall const& call) {
  const NcclMessage message = message_of(call);
  if (wire_ == WireFormat::bf16 && !call.exact) return enqueue_packed(call, message);
  if (call.adds) return enqueue_and_add(call, message);
  nccl_.enqueue(message, stream_.get(), name_);
}

// NCCL assigns and does not add. So it writes the result to memory of the lane, and a kernel adds this result
// to the shard.
void NcclLane::enqueue_and_add(CollectiveCall const& call, NcclMessage message) {
  message.receive = sums_.data();
  nccl_.enqueue(message, stream_.get(), name_);
  add_on_device(exec_, sums_.data(), arena_.data() + call.assigned.offset, call.assigned.count);
}

NcclMessage NcclLane::message_of(CollectiveCall const& call) {
  elements_[call.verb] += static_cast<std::int64_t>(full_slice(call).count);
  return nccl_message(call, place(), arena_.data());
}

// Enqueues a kernel that rounds to bf16, the collective, and a kernel that converts to fp32. NCCL computes
// the sum and not the average, because it would round again when it multiplies by 1/n. The second kernel
// multiplies by 1/n. The parts have the same places in the message as in the slice, so that NCCL works in
// place.
void NcclLane::enqueue_packed(CollectiveCall const& call, NcclMessage message) {
  const CollectiveCall packed = CallPieces(call, place(), full_slice(call).count).in_buffer(0, 0);
  float* const memory = arena_.data();
  message.send = message_.data() + packed.read.offset;
  message.receive = message_.data() + packed.assigned.offset;
  message.type = ncclBfloat16;
  message.operation = ncclSum;
  message_.pack(exec_, memory + call.read.offset, packed.read);
  nccl_.enqueue(message, stream_.get(), name_);
  const bool averages = reduces(call.verb) && call.reduction == model::Reduction::average;
  message_.unpack(exec_, memory + call.assigned.offset, packed.assigned,
                  averages ? 1.0F / static_cast<float>(nccl_.ranks()) : 1.0F, call.adds);
}

Completion NcclLane::wait_for(std::size_t number) {
  name_call(name_, number, calls_.at(number).call);
  nccl_.check_errors(name_);
  return {{}, &spans_.at(number)->end};
}

// Waits for all calls. The last event covers all earlier ones on the stream, so it is tested first.
void NcclLane::wait_all() {
  if (calls_.empty() || spans_[calls_.size() - 1]->end.over()) return;
  for (std::size_t number = 0; number < calls_.size(); ++number) wait_until_done(number);
}

// Waits for one call. The thread does not sleep, because a late wake-up would be measured as a longer tail.
// The time limit begins when this function is called, and thus when the previous call is done.
void NcclLane::wait_until_done(std::size_t number) {
  const auto since = Clock::now();
  auto const& end = spans_[number]->end;
  for (unsigned turn = 1; !end.over(); ++turn) {
    sched_yield();
    if (turn % 1024 != 0) continue;
    name_call(name_, number, calls_[number].call);
    nccl_.check_errors(name_);
    if (seconds_since(since) > timeout_s_)
      nccl_.abort(over_time_limit(number, calls_[number].call, timeout_s_));
  }
}

// Asks the driver for the times of the calls. This is done after the step and not in wait_all(), because the
// three queries for each call would be measured as part of the tail.
std::vector<FinishedCall> const& NcclLane::finished() const {
  for (std::size_t number = done_.size(); number < calls_.size(); ++number) {
    auto const& span = *spans_[number];
    auto const& [call, ready, group] = calls_[number];
    done_.push_back({call, span.start.moment(), span.end.moment(), moment_of(ready)});
  }
  return done_;
}

std::string NcclLane::description() const {
  return fmt::format("nccl {}, a stream of {} priority, {}", loaded_nccl_version(),
                     word_of(priority_, priority_words), word_of(wire_, wire_words));
}

}  // namespace

std::unique_ptr<CommunicationLane> make_nccl_allreduce(Config const& config, MPI_Comm communicator,
                                                       std::span<float> arena, MostElements most) {
  return std::make_unique<NcclLane>(config, communicator, arena, most);
}

std::string loaded_nccl_version() {
  int version = 0;
  ncclGetVersion(&version);
  return nccl_version_text(version);
}

}  // namespace ddproxy
