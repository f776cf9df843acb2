// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/transformer/tensor_layout.hpp"

namespace ddproxy::model {

/// Consecutive gradients, in ready order, that one collective reduces.
struct Bucket {
  std::size_t first;          ///< index of its first gradient
  std::size_t last;           ///< index of its last gradient; the bucket is ready when this gradient is ready
  std::int64_t bytes;         ///< total size of its gradients, in bytes
  std::int64_t offset_bytes;  ///< total size of the gradients before its first one
  bool operator==(Bucket const&) const = default;

  /// Returns its slice, in elements, of the array that holds all gradients in ready order.
  constexpr Slice slice() const {
    constexpr std::size_t each = gradient_element_bytes;
    return {static_cast<std::size_t>(offset_bytes) / each, static_cast<std::size_t>(bytes) / each};
  }
};

/// The buckets of a backward pass, in ready order.
using Plan = std::vector<Bucket>;

inline constexpr double bytes_per_mib = 1048576.0;

/// Makes many plans of the same gradients.
class Bucketing {
 public:
  explicit Bucketing(std::span<const std::int64_t> bytes);  ///< bytes of each gradient, in ready order

  /// Returns the same plan as bucketed_plan(), in O(buckets x log n) for n gradients.
  Plan bucketed(std::span<const std::int64_t> caps) const;
  /// Returns the bucket with the gradients `first` to `last`, both included.
  Bucket bucket(std::size_t first, std::size_t last) const {
    return {first, last, sum_[last + 1] - sum_[first], sum_[first]};
  }
  /// Returns the running sums: entry i has the bytes of the first i gradients.
  std::vector<std::int64_t> const& sums() const { return sum_; }

 private:
  std::vector<std::int64_t> sum_;
};

/// Returns the plan of PyTorch DDP's rule (compute_bucket_assignment_by_size in
/// torch/csrc/distributed/c10d/reducer.cpp). The rule adds gradients in ready order and closes a bucket when
/// its bytes reach its limit. The limit of bucket k is caps[k]; for buckets beyond the end of `caps` it is
/// the last value of `caps`. Caps are in bytes. Gradients are never split. Throws std::invalid_argument if
/// `caps` is empty or has a value that is not positive.
Plan bucketed_plan(std::span<const std::int64_t> gradient_bytes, std::span<const std::int64_t> caps);

/// Returns the plan with one bucket that contains every gradient. Returns an empty plan if there are no
/// gradients.
Plan flat_plan(std::span<const std::int64_t> gradient_bytes);

/// Returns the plan with one bucket for each gradient.
Plan per_tensor_plan(std::span<const std::int64_t> gradient_bytes);

/// Returns the plan whose buckets end at the gradients `last`. These indices must be in ascending order, and
/// the last one must be the index of the last gradient. Otherwise throws std::invalid_argument.
Plan plan_ending_at(std::span<const std::int64_t> gradient_bytes, std::span<const std::size_t> last);

}  // namespace ddproxy::model
