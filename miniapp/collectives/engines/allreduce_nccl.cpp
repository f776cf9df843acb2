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
  NcclAllreduce(Config const& config, MPI_Comm communicator, kernels::Floats const& arena,
                std::size_t most_elements)
      : arena_(arena),
        timeout_s_(config.timeout_s),
        priority_(config.priority),
        wire_(config.wire),
        stream_(config.priority == Priority::high),
        exec_(stream_.get()),
        message_(wire_ == WireFormat::fp32 ? 0 : most_elements),
        nccl_(communicator, config.timeout_s) {}

  void begin(std::size_t buckets) override;
  void start(Slice slice, Completion ready) override;
  void wait_all() override;
  Completion wait_for(std::size_t bucket) override;
  std::vector<ReducedBucket> const& reduced() const override;
  std::int64_t elements_reduced() const override { return elements_reduced_; }
  std::string description() const override;

 private:
  struct Span {
    gpu::TimedEvent start, end;
  };
  void enqueue(Slice slice);
  void wait_until_reduced(std::size_t bucket);

  kernels::Floats arena_;
  double timeout_s_;
  Priority priority_;
  WireFormat wire_;
  gpu::OwnStream stream_;
  kernels::Space exec_;  // the same stream, as Kokkos knows it
  DeviceWire message_;
  NcclCommunicator nccl_;
  std::vector<PostedBucket> buckets_;
  std::string name_;                          // of the last
  std::vector<std::unique_ptr<Span>> spans_;  // of the buckets, used again in each pass
  mutable std::vector<ReducedBucket> done_;   // as far as it was asked for
  std::int64_t elements_reduced_ = 0;
};

void NcclAllreduce::begin(std::size_t buckets) {
  buckets_.clear();
  done_.clear();
  buckets_.reserve(buckets);
  done_.reserve(buckets);
  while (spans_.size() < buckets) spans_.push_back(std::make_unique<Span>());
}

void NcclAllreduce::start(Slice slice, Completion ready) {
  auto& [start, end] = *spans_.at(buckets_.size());
  name_bucket(name_, buckets_.size(), slice);
  const auto watched = nccl_.watch(name_.c_str());
  buckets_.push_back({slice, ready});
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

Completion NcclAllreduce::wait_for(std::size_t bucket) {
  name_bucket(name_, bucket, buckets_.at(bucket).slice);
  nccl_.check_errors(name_);
  return {{}, &spans_.at(bucket)->end};
}

// The last event covers all earlier ones on the stream.
void NcclAllreduce::wait_all() {
  if (buckets_.empty() || spans_[buckets_.size() - 1]->end.over()) return;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) wait_until_reduced(bucket);
}

// Does not sleep: what is waited for here is the tail that is measured. The limit counts from when the bucket
// before was reduced, or from when the host came here.
void NcclAllreduce::wait_until_reduced(std::size_t bucket) {
  const auto since = Clock::now();
  auto const& end = spans_[bucket]->end;
  for (unsigned turn = 1; !end.over(); ++turn) {
    sched_yield();
    if (turn % 1024 != 0) continue;
    name_bucket(name_, bucket, buckets_[bucket].slice);
    nccl_.check_errors(name_);
    if (std::chrono::duration<double>(Clock::now() - since).count() > timeout_s_)
      nccl_.abort(over_time_limit(bucket, buckets_[bucket].slice, timeout_s_));
  }
}

// Only when it is asked for, after the pass: three questions to the driver for each bucket would be measured
// as tail.
std::vector<ReducedBucket> const& NcclAllreduce::reduced() const {
  for (std::size_t bucket = done_.size(); bucket < buckets_.size(); ++bucket) {
    auto const& span = *spans_[bucket];
    auto const& [slice, ready] = buckets_[bucket];
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
                                               kernels::Floats const& arena, std::size_t most_elements) {
  return std::make_unique<NcclAllreduce>(config, communicator, arena, most_elements);
}

std::string loaded_nccl_version() {
  int version = 0;
  ncclGetVersion(&version);
  return nccl_version_text(version);
}

}  // namespace ddproxy
