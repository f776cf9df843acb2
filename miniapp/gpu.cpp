// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/gpu.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

#include "miniapp/device.hpp"

namespace ddproxy {
namespace {

// Where the device's clock stood on the host's. Never destroyed: at the program's end the library may be
// gone.
struct ClockPair {
  gpu::TimedEvent event;
  Clock::time_point host;
};

ClockPair& clock_pair() {
  static ClockPair* const pair = new ClockPair;
  return *pair;
}

gpu::Stream clock_stream() {
  static gpu::OwnStream* const stream = new gpu::OwnStream;
  return stream->get();
}

}  // namespace

namespace gpu {

void check(Status status, std::source_location where) {
  if (status == success) return;
  const auto file = std::filesystem::path(where.file_name()).filename().string();
  throw std::runtime_error(std::string(name) + ": " + DDPROXY_GPU(GetErrorString)(status) + " (" + file +
                           ":" + std::to_string(where.line()) + ")");
}

OwnStream::OwnStream(bool high_priority) {
  int least = 0, greatest = 0;
  check(DDPROXY_GPU(DeviceGetStreamPriorityRange)(&least, &greatest));
  check(DDPROXY_GPU(StreamCreateWithPriority)(&stream_, DDPROXY_GPU(StreamNonBlocking),
                                              high_priority ? greatest : least));
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
  check(DDPROXY_GPU(EventRecord)(event_, stream));
}

void TimedEvent::hold_back(Stream stream) const {
  check(DDPROXY_GPU(StreamWaitEvent)(stream, event_, 0));
}

bool TimedEvent::over() const {
  const Status status = DDPROXY_GPU(EventQuery)(event_);
  if (status == DDPROXY_GPU(ErrorNotReady)) return false;
  check(status);
  return true;
}

Clock::time_point TimedEvent::moment() const {
  float milliseconds = 0;
  check(DDPROXY_GPU(EventElapsedTime)(&milliseconds, clock_pair().event.event_, event_));
  return clock_pair().host +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(milliseconds));
}

}  // namespace gpu

// The first tries wake the device up; the last one counts.
void synchronise_clocks() {
  constexpr int tries = 3;
  auto& [event, host] = clock_pair();
  for (int i = 0; i < tries; ++i) {
    const auto before = Clock::now();
    event.record(clock_stream());
    while (!event.over()) continue;
    host = before + (Clock::now() - before) / 2;
  }
}

}  // namespace ddproxy
