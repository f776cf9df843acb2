// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// A range of consecutive elements of an array.
struct Slice {
  std::size_t offset;  ///< index of the first element
  std::size_t count;
  /// Returns the index behind the last element.
  std::size_t end() const { return offset + count; }
  bool operator==(Slice const&) const = default;
};

/// Returns the part of `whole` at place `place` (from 0), if `whole` is divided into `places` equal parts.
/// Its number of elements must be divisible by `places`.
constexpr Slice own_part(Slice whole, std::size_t places, std::size_t place) {
  const std::size_t count = whole.count / places;
  return {whole.offset + place * count, count};
}

/// Returns the elements of `whole` in the part at place `place` (from 0), if each part has `part` elements.
/// The last parts have fewer elements, or none, if the parts together have more elements than `whole`.
Slice held_part(Slice whole, std::size_t part, std::size_t place);

/// Consecutive elements of the model that are divided among the ranks of a group: a bucket or a unit. All
/// shards have the same number of elements, so padding may follow the elements of the model.
struct ShardedSlice {
  Slice model;             ///< without the padding
  std::size_t shards = 1;  ///< number of shards: the ranks of the group

  /// Returns the number of elements of a shard, with the padding.
  std::size_t part() const { return (model.count + shards - 1) / shards; }
  /// Returns the number of elements of all shards, with the padding.
  std::size_t padded() const { return part() * shards; }
  /// Returns the number of elements of the padding.
  std::size_t padding() const { return padded() - model.count; }
  /// Returns the elements of the model in the shard at a place.
  Slice held(std::size_t place) const { return held_part(model, part(), place); }
};

/// The place of each parameter tensor, or of its gradient, in one array. The array holds all tensors without
/// gaps, in ready order: the order in which the backward pass completes their gradients.
class TensorLayout {
 public:
  /// Builds the layout of all gradients of a backward pass.
  explicit TensorLayout(BackwardPass const& pass);

  std::size_t tensors() const { return slices_.size(); }
  std::size_t elements() const { return slices_.empty() ? 0 : slices_.back().end(); }
  /// Returns the elements of a tensor, given its index in BackwardPass::gradients.
  Slice operator[](std::size_t tensor) const { return slices_[tensor]; }
  /// Returns the elements of a tensor, given its name. Throws std::logic_error if the model has no such
  /// tensor.
  Slice of(std::string const& name) const;
  /// Returns the elements of the tensors `first` to `last`, both included.
  Slice run(std::size_t first, std::size_t last) const;
  /// Returns the index of the tensor that contains an element.
  std::size_t tensor_of(std::size_t element) const;

 private:
  std::vector<Slice> slices_;  // [tensor]
  std::map<std::string, std::size_t> index_;
};

}  // namespace ddproxy::model
