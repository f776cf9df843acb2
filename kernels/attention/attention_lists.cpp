// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention/attention_lists.hpp"

namespace ddproxy::kernels::batched {
namespace {

using Place = PointerLists::Place;

/// The kernel that writes one pointer for each work item.
struct WriteLists {
  AttentionSize size;
  Kokkos::Array<Place, static_cast<std::size_t>(operands)> places;
  float** lists;
  Index most_rows;  ///< largest number of queries of a tile

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index count = size.batch * size.heads;
    const Index head = item % count, operand = item / count % operands, tile = item / count / operands;
    lists[item] = pointer(places[operand], tile, head);
  }

  /// Returns the pointer at position `position` of a list, from 0 to batch * heads - 1.
  KOKKOS_FUNCTION float* pointer(Place const& at, Index tile, Index position) const {
    const Index kv_head = position % size.kv_heads, rest = position / size.kv_heads;
    const Index sequence = rest % size.batch, member = rest / size.batch;
    const Index head = kv_head * (size.heads / size.kv_heads) + member;
    const Index first = tile * most_rows;
    const Index rows = Kokkos::min(most_rows, size.sequence - first);
    if (at.dense) return at.data + (sequence * size.heads + head) * rows * (first + rows);
    const Index row = sequence * size.sequence + (at.of_queries ? first : 0);
    return at.data + row * at.stride + (at.of_queries ? head : kv_head) * size.head_size;
  }
};

}  // namespace

PointerLists::PointerLists(AttentionSize const& size, float* memory)
    : size_(size), lists_(reinterpret_cast<float**>(memory)) {}

void PointerLists::set_queries(Operand operand, float const* data, Index stride) {
  place(operand) = {const_cast<float*>(data), stride, true, false};
}

void PointerLists::set_keys(Operand operand, float const* data, Index stride) {
  place(operand) = {const_cast<float*>(data), stride, false, false};
}

void PointerLists::set_scores(Operand operand, float const* data) {
  place(operand) = {const_cast<float*>(data), 0, true, true};
}

void PointerLists::write(Space const& exec) const {
  WriteLists work{size_, {}, lists_, tile_rows};
  for (std::size_t i = 0; i < places_.size(); ++i) work.places[i] = places_[i];
  const Index items = tiles_of(size_) * operands * size_.batch * size_.heads;
  Kokkos::parallel_for("attention lists", Range(exec, 0, items), work);
}

float* const* PointerLists::of(Operand operand, Index tile) const {
  return lists_ + (tile * operands + static_cast<Index>(operand)) * size_.batch * size_.heads;
}

Index PointerLists::stride(Operand operand, Index keys) const {
  auto const& place = places_[static_cast<std::size_t>(operand)];
  return place.dense ? keys : place.stride;
}

}  // namespace ddproxy::kernels::batched
