// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ddproxy::model {

/// A run of gradients in ready order, reduced by one call.
struct Bucket {
  std::size_t first;   ///< index of its first gradient
  std::size_t last;    ///< index of its last gradient, which makes it ready
  std::int64_t bytes;  ///< of all its gradients
  bool operator==(Bucket const&) const = default;
};

using Plan = std::vector<Bucket>;

inline constexpr double bytes_per_mib = 1048576.0;

/// DDP's rule for gradients of which many plans are made.
class Bucketing {
 public:
  explicit Bucketing(std::span<const std::int64_t> bytes);  ///< in ready order

  /// As bucketed_plan(), in O(buckets x log n).
  Plan bucketed(std::span<const std::int64_t> caps) const;

 private:
  std::vector<std::int64_t> sum_;  // bytes of the first i
};

/// PyTorch DDP's rule (compute_bucket_assignment_by_size in torch/csrc/distributed/c10d/reducer.cpp): add
/// gradients in ready order, close the bucket when its bytes reach its limit. Bucket k has the limit caps[k],
/// later ones the last of `caps`, in bytes. Gradients are never split. Throws std::invalid_argument where
/// `caps` is empty or holds one that is not positive.
Plan bucketed_plan(std::span<const std::int64_t> gradient_bytes, std::span<const std::int64_t> caps);

/// One bucket with every gradient.
Plan flat_plan(std::span<const std::int64_t> gradient_bytes);

/// One bucket a gradient.
Plan per_tensor_plan(std::span<const std::int64_t> gradient_bytes);

/// The plan with buckets that end at the given gradients (rising; the last must be the last gradient).
Plan plan_ending_at(std::span<const std::int64_t> gradient_bytes, std::span<const std::size_t> last);

}  // namespace ddproxy::model
