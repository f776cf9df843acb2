// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "kernels/base/foreign_call.hpp"
#include "miniapp/collectives/engines/staging.hpp"
#include "miniapp/device/gpu.hpp"
#include "miniapp/input/engine_buffers.hpp"

namespace ddproxy {
namespace {

class PinnedStaging : public Staging {
 public:
  PinnedStaging(float* arena, std::size_t pinned_elements)
      : arena_(arena), slot_elements_(pinned_elements / staging_slots) {
    gpu::check(DDPROXY_GPU(HostAlloc)(reinterpret_cast<void**>(&memory_), pinned_elements * sizeof(float),
                                      DDPROXY_GPU(HostAllocDefault)));
  }
  ~PinnedStaging() override {
    (void)DDPROXY_GPU(StreamSynchronize)(stream_.get());
    (void)DDPROXY_GPU(FreeHost)(memory_);
  }
  PinnedStaging(PinnedStaging const&) = delete;
  PinnedStaging& operator=(PinnedStaging const&) = delete;

  float* memory() override { return memory_; }
  void fetch(std::size_t slot, Runs const& runs) override {
    const Place arena{arena_ + runs.first.offset, runs.step};
    copy(slot, place(slot, runs), arena, runs);
  }
  void put_back(std::size_t slot, Runs const& runs) override {
    const Place arena{arena_ + runs.first.offset, runs.step};
    copy(slot, arena, place(slot, runs), runs);
  }
  bool over(std::size_t slot) override { return copied_[slot].over(); }

 private:
  struct Place {
    float* first;
    std::size_t step;  // elements from the start of one run to the start of the next
  };

  Place place(std::size_t slot, Runs const& runs) const {
    return {memory_ + slot * slot_elements_ + runs.in_buffer, runs.first.count};
  }
  void copy(std::size_t slot, Place to, Place from, Runs const& runs) {
    for (std::size_t run = 0; run < runs.count; ++run)
      gpu::check(DDPROXY_GPU(MemcpyAsync)(to.first + run * to.step, from.first + run * from.step,
                                          runs.first.count * sizeof(float), DDPROXY_GPU(MemcpyDefault),
                                          stream_.get()));
    copied_[slot].record(stream_.get());
  }

  float* arena_;
  std::size_t slot_elements_;
  float* memory_ = nullptr;
  gpu::OwnStream stream_;
  std::array<gpu::TimedEvent, staging_slots> copied_;
};

__global__ void scale(float* values, std::size_t count, float factor) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    values[i] *= factor;
}

}  // namespace

std::unique_ptr<Staging> make_pinned_staging(float* arena, std::size_t pinned_elements) {
  return std::make_unique<PinnedStaging>(arena, pinned_elements);
}

// Uses a kernel without Kokkos, because the communication thread must not use Kokkos at the same time as the
// main thread.
void scale_device_memory(float* values, std::size_t count, float factor) {
  static gpu::OwnStream* const stream = new gpu::OwnStream;  // never destroyed, as the driver may end first
  constexpr unsigned blocks = 64, threads = 256;             // few blocks, so that compute can run beside it
  kernels::forget_foreign_error();                           // MPI may have left an error on this thread
  scale<<<blocks, threads, 0, stream->get()>>>(values, count, factor);
  kernels::check_launches();
  gpu::check(DDPROXY_GPU(StreamSynchronize)(stream->get()));
}

}  // namespace ddproxy
