// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/accounting.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "model/cost/step_work.hpp"
#include "model/transformer/forward_pass.hpp"

namespace ddproxy::model {
namespace {

void require_positive(char const* name, double value) {
  if (value > 0 && std::isfinite(value)) return;
  throw std::invalid_argument(std::string("accounting: ") + name + " is " + std::to_string(value) +
                              "; it must be positive");
}

}  // namespace

ModelAccount account(FfnStack const& stack, int element_bytes) {
  require_positive("the number of blocks", static_cast<double>(stack.blocks));
  require_positive("d_model", static_cast<double>(stack.d_model));
  require_positive("d_ff", static_cast<double>(stack.d_ff));
  require_positive("the size of an element", element_bytes);
  const std::int64_t parameters = 2 * stack.blocks * stack.d_model * stack.d_ff;
  const std::int64_t inputs = stack.blocks * (stack.d_model + stack.d_ff);
  return {parameters, stack.d_ff, inputs * element_bytes, 6 * static_cast<double>(parameters)};
}

ModelAccount account(Shape const& shape, std::int64_t sequence, int element_bytes) {
  require_positive("the sequence", static_cast<double>(sequence));
  require_positive("the size of an element", element_bytes);
  std::int64_t features = 0;
  for (TokenTensor const& tensor : forward_pass(shape).activations) features += tensor.features;
  const Tokens tokens{1, sequence};
  return {parameters(backward_pass(shape)), shape.d_ff, features * element_bytes,
          model_flops(shape, tokens).total() / static_cast<double>(sequence)};
}

double link_intensity(LinkedDevice const& device, int element_bytes) {
  require_positive("peak_flops", device.peak_flops);
  require_positive("the bandwidth of a link", device.link_bandwidth);
  require_positive("the size of an element", element_bytes);
  return device.peak_flops * element_bytes / (2 * device.link_bandwidth);
}

ComputeBound compute_bound(LinkedDevice const& device, std::int64_t d_ff, int element_bytes) {
  require_positive("the number of links for shards", device.shard_links);
  require_positive("the number of links for tensor parallelism", device.tensor_links);
  require_positive("d_ff", static_cast<double>(d_ff));
  const auto wide = static_cast<double>(d_ff);
  ComputeBound bound;
  bound.intensity = link_intensity(device, element_bytes);
  bound.fsdp_tokens = bound.intensity / device.shard_links;
  bound.tensor_devices = device.tensor_links * wide / bound.intensity;
  bound.mixed_tokens = bound.intensity * bound.intensity / (device.shard_links * device.tensor_links * wide);
  return bound;
}

std::optional<double> fsdp_tokens_with_tensor(LinkedDevice const& device, std::int64_t d_ff,
                                              int element_bytes, double ways) {
  require_positive("the number of devices for tensor parallelism", ways);
  const ComputeBound bound = compute_bound(device, d_ff, element_bytes);
  if (ways > bound.tensor_devices) return std::nullopt;
  return bound.fsdp_tokens / ways;
}

std::optional<std::int64_t> ranks_that_fit(RankMemory const& memory, double device_bytes) {
  const double room = device_bytes - memory.whole;
  if (!(room > 0)) return std::nullopt;
  return std::max(std::int64_t{1}, static_cast<std::int64_t>(std::ceil(memory.sharded / room)));
}

}  // namespace ddproxy::model
