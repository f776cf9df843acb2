// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/tensor_layout.hpp"

#include <algorithm>
#include <utility>

namespace ddproxy::model {

Slice held_part(Slice whole, std::size_t part, std::size_t place) {
  const std::size_t before = std::min(place * part, whole.count);
  return {whole.offset + before, std::min(part, whole.count - before)};
}

void TensorLayout::push_back(Gradient tensor) {
  tensor.offset = elements();
  tensors_.push_back(std::move(tensor));
}

std::vector<std::int64_t> TensorLayout::bytes() const {
  std::vector<std::int64_t> bytes;
  for (Gradient const& tensor : tensors_) bytes.push_back(tensor.numel * gradient_element_bytes);
  return bytes;
}

std::size_t TensorLayout::tensor_of(std::size_t element) const {
  const auto end = [](Gradient const& tensor) { return tensor.slice().end(); };
  return static_cast<std::size_t>(std::ranges::upper_bound(tensors_, element, {}, end) - tensors_.begin());
}

std::string TensorLayout::name_of(std::size_t element) const {
  if (element >= elements()) return "?";
  Gradient const& tensor = tensors_[tensor_of(element)];
  return tensor.name + "[" + std::to_string(element - tensor.offset) + "]";
}

}  // namespace ddproxy::model
