// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/bucket_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ddproxy::model {
namespace {

void check_caps(std::span<const std::int64_t> caps) {
  if (caps.empty())
    throw std::invalid_argument("bucket caps: the list is empty; give at least one cap in bytes");
  for (const std::int64_t cap : caps) {
    if (cap > 0) continue;
    throw std::invalid_argument("bucket caps: " + std::to_string(cap) + " bytes; every cap must be positive");
  }
}

}  // namespace

Bucketing::Bucketing(std::span<const std::int64_t> bytes) : sum_{0} {
  for (const std::int64_t each : bytes) sum_.push_back(sum_.back() + each);
}

Plan Bucketing::bucketed(std::span<const std::int64_t> caps) const {
  check_caps(caps);
  Plan plan;
  const std::size_t n = sum_.size() - 1;
  for (std::size_t first = 0; first < n;) {
    const std::int64_t limit = std::min(caps[std::min(plan.size(), caps.size() - 1)], sum_[n]);
    const auto behind = sum_.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    const auto closed = std::lower_bound(behind, sum_.end(), sum_[first] + limit);
    const std::size_t last = std::min(n, static_cast<std::size_t>(closed - sum_.begin())) - 1;
    plan.push_back(bucket(first, last));
    first = last + 1;
  }
  return plan;
}

Plan bucketed_plan(std::span<const std::int64_t> gradient_bytes, std::span<const std::int64_t> caps) {
  return Bucketing(gradient_bytes).bucketed(caps);
}

Plan flat_plan(std::span<const std::int64_t> gradient_bytes) {
  if (gradient_bytes.empty()) return {};
  const std::size_t last = gradient_bytes.size() - 1;
  return plan_ending_at(gradient_bytes, {&last, 1});
}

Plan per_tensor_plan(std::span<const std::int64_t> gradient_bytes) {
  const Bucketing gradients(gradient_bytes);
  Plan plan;
  for (std::size_t i = 0; i < gradient_bytes.size(); ++i) plan.push_back(gradients.bucket(i, i));
  return plan;
}

Plan plan_ending_at(std::span<const std::int64_t> gradient_bytes, std::span<const std::size_t> last) {
  const Bucketing gradients(gradient_bytes);
  Plan plan;
  std::size_t first = 0;
  for (const std::size_t end : last) {
    if (end < first || end >= gradient_bytes.size()) {
      throw std::invalid_argument("plan: the indices of the buckets' last gradients must rise and be below " +
                                  std::to_string(gradient_bytes.size()) + ", but one of them is " +
                                  std::to_string(end));
    }
    plan.push_back(gradients.bucket(first, end));
    first = end + 1;
  }
  if (first != gradient_bytes.size()) {
    throw std::invalid_argument("plan: the buckets contain " + std::to_string(first) + " of " +
                                std::to_string(gradient_bytes.size()) +
                                " gradients; the last bucket must end with the last gradient");
  }
  return plan;
}

}  // namespace ddproxy::model
