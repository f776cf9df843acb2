// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/allreduce_nccl.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/collectives/engines/nccl_communicator.hpp"
#include "miniapp/collectives/engines/nccl_version.hpp"
#include "miniapp/collectives/engines/wire_device.hpp"
#include "miniapp/device/backoff.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {
namespace {

class NcclAllreduce : public Allreduce {
 public:
  NcclAllreduce(Config const& config, MPI_Comm communicator, kernels::Floats const& arena)
      : arena_(arena),
        timeout_s_(config.timeout_s),
        priority_(config.priority),
        wire_(config.wire),
        stream_(config.priority == Priority::high),
        exec_(stream_.get()),
        message_(wire_ == WireFormat::fp32 ? 0 : arena.size()),
        nccl_(communicator, config.timeout_s) {}

  void begin(std::size_t calls) override;
  void start(Slice slice, Completion ready) override;
  void wait_all() override;
  Completion wait_for(std::size_t call) override;
  std::vector<Reduction> const& reductions() const override;
  std::int64_t elements_reduced() const override { return elements_reduced_; }
  std::string description() const override;

 private:
  struct Call {
    Slice slice;
    Completion ready;
  };
  struct Span {
    gpu::TimedEvent start, end;
  };
  void enqueue(Slice slice);
  void wait_until_reduced(std::size_t call);

  kernels::Floats arena_;
  double timeout_s_;
  Priority priority_;
  WireFormat wire_;
  gpu::OwnStream stream_;
  kernels::Space exec_;  // the same stream, as Kokkos knows it
  DeviceWire message_;
  NcclCommunicator nccl_;
  std::vector<Call> calls_;
  std::string name_;                          // of the last
  std::vector<std::unique_ptr<Span>> spans_;  // of the calls, used again in each pass
  mutable std::vector<Reduction> done_;       // as far as it was asked for
  std::int64_t elements_reduced_ = 0;
};

void NcclAllreduce::begin(std::size_t calls) {
  calls_.clear();
  done_.clear();
  calls_.reserve(calls);
  done_.reserve(calls);
  while (spans_.size() < calls) spans_.push_back(std::make_unique<Span>());
}

void NcclAllreduce::start(Slice slice, Completion ready) {
  auto& [start, end] = *spans_.at(calls_.size());
  name_call(name_, calls_.size(), slice);
  const auto watched = nccl_.watch(name_.c_str());
  calls_.push_back({slice, ready});
  if (ready.event)
    gpu::timed(*ready.event).hold_back(stream_.get());
  else
    sleep_until(ready.when);
  start.record(stream_.get());
  enqueue(slice);
  end.record(stream_.get());
}

// Summed, not averaged, in bf16: 1/n would be rounded into every element.
void NcclAllreduce::enqueue(Slice slice) {
  float* const values = arena_.data() + slice.offset;
  elements_reduced_ += static_cast<std::int64_t>(slice.count);
  if (wire_ == WireFormat::fp32) return nccl_.average(values, slice.count, stream_.get(), name_);
  nccl_.sum(message_.pack(exec_, values, slice.count), slice.count, stream_.get(), name_);
  message_.unpack(exec_, values, slice.count, 1.0F / static_cast<float>(nccl_.ranks()));
}

Completion NcclAllreduce::wait_for(std::size_t call) {
  name_call(name_, call, calls_.at(call).slice);
  nccl_.check_errors(name_);
  return {{}, &spans_.at(call)->end};
}

// What is over last tells of all: a stream keeps its order.
void NcclAllreduce::wait_all() {
  if (calls_.empty() || spans_[calls_.size() - 1]->end.over()) return;
  for (std::size_t call = 0; call < calls_.size(); ++call) wait_until_reduced(call);
}

// Without naps: what is waited for here is the tail that is measured. The limit counts from when the one
// before was over, or from when the host came here.
void NcclAllreduce::wait_until_reduced(std::size_t call) {
  const auto since = Clock::now();
  auto const& end = spans_[call]->end;
  for (unsigned turn = 1; !end.over(); ++turn) {
    sched_yield();
    if (turn % 1024 != 0) continue;
    name_call(name_, call, calls_[call].slice);
    nccl_.check_errors(name_);
    if (std::chrono::duration<double>(Clock::now() - since).count() > timeout_s_)
      nccl_.abort(over_time_limit(call, calls_[call].slice, timeout_s_));
  }
}

// Only when it is asked for, after the pass: three questions to the driver a call would be measured as tail.
std::vector<Reduction> const& NcclAllreduce::reductions() const {
  for (std::size_t call = done_.size(); call < calls_.size(); ++call) {
    auto const& span = *spans_[call];
    auto const& [slice, ready] = calls_[call];
    done_.push_back({slice, span.start.moment(), span.end.moment(), moment_of(ready)});
  }
  return done_;
}

std::string NcclAllreduce::description() const {
  return fmt::format("nccl {}, a stream of {} priority, {}", loaded_nccl_version(),
                     word_of(priority_, priority_words), word_of(wire_, wire_words));
}

}  // namespace

std::unique_ptr<Allreduce> make_nccl_allreduce(Config const& config, MPI_Comm communicator,
                                               kernels::Floats const& arena) {
  return std::make_unique<NcclAllreduce>(config, communicator, arena);
}

std::string loaded_nccl_version() {
  int version = 0;
  ncclGetVersion(&version);
  return nccl_version_text(version);
}

}  // namespace ddproxy
