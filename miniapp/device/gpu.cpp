// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/device/gpu.hpp"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/base/foreign_call.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"

namespace ddproxy {
namespace {

// A device event and the host's time at which it completed. The static object that holds the pair is never
// destroyed, because the device's library may be unloaded before the program ends.
struct ClockPair {
  std::unique_ptr<gpu::TimedEvent> event;
  Clock::time_point host;
};

gpu::Stream clock_stream() {
  static gpu::OwnStream* const stream = new gpu::OwnStream;
  return stream->get();
}

// Records an event several times and keeps the try that took the shortest time. Several tries are needed
// because the first ones may have to wake up the device, and other programs may use it at the same time.
ClockPair read_clocks() {
  constexpr int tries = 5;
  ClockPair best;
  auto shortest = Clock::duration::max();
  for (int i = 0; i < tries; ++i) {
    auto event = std::make_unique<gpu::TimedEvent>();
    const auto before = Clock::now();
    event->record(clock_stream());
    while (!event->over()) continue;
    const auto took = Clock::now() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {std::move(event), before + took / 2};
  }
  return best;
}

ClockPair& clock_pair() {
  static ClockPair* const pair = new ClockPair(read_clocks());
  return *pair;
}

}  // namespace

namespace gpu {

void check(Status status, std::source_location where) {
  if (status == success) return;
  (void)DDPROXY_GPU(GetLastError)();  // clears the error, so that the next check does not report it again
  const auto file = std::filesystem::path(where.file_name()).filename().string();
  throw std::runtime_error(std::string(name) + ": " + DDPROXY_GPU(GetErrorString)(status) + " (" + file +
                           ":" + std::to_string(where.line()) + ")");
}

OwnStream::OwnStream(bool high_priority) {
  int least = 0, greatest = 0;
  check(DDPROXY_GPU(DeviceGetStreamPriorityRange)(&least, &greatest));
  check(DDPROXY_GPU(StreamCreateWithPriority)(&stream_, DDPROXY_GPU(StreamNonBlocking),
                                              choose_stream_priority(high_priority, least, greatest)));
}

OwnStream::~OwnStream() {
  (void)DDPROXY_GPU(StreamDestroy)(stream_);
}

TimedEvent::TimedEvent() {
  check(DDPROXY_GPU(EventCreateWithFlags)(&event_, DDPROXY_GPU(EventDefault)));
}

TimedEvent::~TimedEvent() {
  (void)DDPROXY_GPU(EventDestroy)(event_);
}

void TimedEvent::record(Stream stream) {
  kernels::check_launches();
  check(DDPROXY_GPU(EventRecord)(event_, stream));
}

void TimedEvent::hold_back(Stream stream) const {
  check(DDPROXY_GPU(StreamWaitEvent)(stream, event_, 0));
}

bool TimedEvent::over() const {
  const Status status = DDPROXY_GPU(EventQuery)(event_);
  if (status == DDPROXY_GPU(ErrorNotReady)) {
    (void)DDPROXY_GPU(GetLastError)();  // clears the status; otherwise the next launch seems to have failed
    return false;
  }
  check(status);
  return true;
}

Clock::time_point TimedEvent::moment() const {
  float milliseconds = 0;
  check(DDPROXY_GPU(EventElapsedTime)(&milliseconds, clock_pair().event->event_, event_));
  return clock_pair().host +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(milliseconds));
}

}  // namespace gpu

void synchronise_clocks() {
  clock_pair() = read_clocks();
}

}  // namespace ddproxy
