// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/tensor_layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace ddproxy::model {

Slice held_part(Slice whole, std::size_t part, std::size_t place) {
  const std::size_t before = std::min(place * part, whole.count);
  return {whole.offset + before, std::min(part, whole.count - before)};
}

TensorLayout::TensorLayout(BackwardPass const& pass) {
  slices_.reserve(pass.gradients.size());
  for (auto const& gradient : pass.gradients) {
    index_[gradient.name] = slices_.size();
    slices_.push_back({elements(), static_cast<std::size_t>(gradient.numel)});
  }
}

Slice TensorLayout::of(std::string const& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) throw std::logic_error("the model has no parameter " + name);
  return slices_[found->second];
}

Slice TensorLayout::run(std::size_t first, std::size_t last) const {
  return {slices_[first].offset, slices_[last].end() - slices_[first].offset};
}

std::size_t TensorLayout::tensor_of(std::size_t element) const {
  const auto after = std::ranges::upper_bound(slices_, element, {}, &Slice::end);
  return static_cast<std::size_t>(after - slices_.begin());
}

}  // namespace ddproxy::model
