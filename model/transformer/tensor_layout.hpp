// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Consecutive elements of an array.
struct Slice {
  std::size_t offset;  ///< of the first element
  std::size_t count;
  std::size_t end() const { return offset + count; }
  bool operator==(Slice const&) const = default;
};

/// Where each parameter tensor, or its gradient, lies in one array that holds all of them in ready order, one
/// behind the other without gaps.
class TensorLayout {
 public:
  explicit TensorLayout(BackwardPass const& pass);

  std::size_t tensors() const { return slices_.size(); }
  std::size_t elements() const { return slices_.empty() ? 0 : slices_.back().end(); }
  /// The elements of a tensor, by its index in BackwardPass::gradients.
  Slice operator[](std::size_t tensor) const { return slices_[tensor]; }
  /// The elements of a tensor by its name. Throws std::logic_error where the model has no such tensor.
  Slice of(std::string const& name) const;
  /// The elements of the tensors `first` to `last`, both included: of a bucket, for example.
  Slice run(std::size_t first, std::size_t last) const;
  /// The tensor that an element belongs to.
  std::size_t tensor_of(std::size_t element) const;

 private:
  std::vector<Slice> slices_;  // [tensor]
  std::map<std::string, std::size_t> index_;
};

}  // namespace ddproxy::model
