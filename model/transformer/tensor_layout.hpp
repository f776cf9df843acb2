// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ddproxy::model {

/// A range of consecutive elements of an array.
struct Slice {
  std::size_t offset;  ///< index of the first element
  std::size_t count;
  /// Returns the index behind the last element.
  std::size_t end() const { return offset + count; }
  bool operator==(Slice const&) const = default;
};

/// Divides `whole` into `places` equal parts and returns part number `place`, from 0. `whole.count` must be
/// divisible by `places`.
constexpr Slice own_part(Slice whole, std::size_t places, std::size_t place) {
  const std::size_t count = whole.count / places;
  return {whole.offset + place * count, count};
}

/// Divides `whole` into parts of `part` elements and returns part number `place`, from 0. The last part is
/// shorter if `whole.count` is not divisible by `part`. A part behind the end of `whole` is empty.
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
  /// Returns the elements of the model in the shard of the rank at `place` of the group, from 0.
  Slice held(std::size_t place) const { return held_part(model, part(), place); }
};

/// Bytes of an element of a gradient in memory. Gradients are in fp32.
inline constexpr int gradient_element_bytes = 4;

/// One parameter tensor and its gradient.
struct Gradient {
  std::string name;  ///< as in Hugging Face's GPT-2 without the prefix, for instance "h.3.mlp.c_proj.bias"
  std::string layer;
  std::int64_t numel;      ///< elements
  std::size_t operation;   ///< index of the operation that completes the gradient
  bool bias = false;       ///< true for the bias of a linear layer or a norm
  std::size_t offset = 0;  ///< index of its first element in the array with all tensors; TensorLayout sets it

  /// Returns the place of the tensor in the array with all tensors.
  Slice slice() const { return {offset, static_cast<std::size_t>(numel)}; }
};

/// All parameter tensors of a model, or their gradients, and their places in one array. The array holds the
/// tensors without gaps, in ready order: the order in which the backward pass completes their gradients.
class TensorLayout {
 public:
  /// Adds a tensor behind the others and sets its offset.
  void push_back(Gradient tensor);

  std::size_t size() const { return tensors_.size(); }  ///< returns the number of tensors
  bool empty() const { return tensors_.empty(); }
  Gradient const& operator[](std::size_t tensor) const { return tensors_[tensor]; }
  Gradient const& front() const { return tensors_.front(); }
  Gradient const& back() const { return tensors_.back(); }
  auto begin() const { return tensors_.begin(); }
  auto end() const { return tensors_.end(); }

  /// Returns the number of elements of all tensors.
  std::size_t elements() const { return empty() ? 0 : back().slice().end(); }
  /// Returns the bytes of each gradient, in ready order.
  std::vector<std::int64_t> bytes() const;
  /// Returns the index of the tensor that contains an element. Returns size() if no tensor contains it.
  std::size_t tensor_of(std::size_t element) const;
  /// Returns the name of the tensor that contains an element, with the index of the element in this tensor,
  /// for instance "wte.weight[5]". Returns "?" if no tensor contains the element.
  std::string name_of(std::size_t element) const;

 private:
  std::vector<Gradient> tensors_;
};

}  // namespace ddproxy::model
