// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/shape.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace ddproxy::model {
namespace {

[[noreturn]] void refuse(std::string const& what) {
  throw std::invalid_argument(what);
}

void check_heads(Shape const& shape) {
  if (shape.d_model % shape.heads != 0) {
    refuse("d_model (" + std::to_string(shape.d_model) + ") is not a multiple of heads (" +
           std::to_string(shape.heads) + ")");
  }
  if (shape.kv_heads < 0 || (shape.kv_heads > 0 && shape.heads % shape.kv_heads != 0)) {
    refuse("kv_heads (" + std::to_string(shape.kv_heads) + ") must divide heads (" +
           std::to_string(shape.heads) + "), so that each key-value head serves equally many query heads");
  }
}

void check_rotations(Shape const& shape) {
  if (shape.positions != Positions::rope) return;
  if (shape.head_size() % 2 != 0) {
    refuse(
        "positions \"rope\" rotates pairs of features, so the head size d_model / heads must be even; it "
        "is " +
        std::to_string(shape.head_size()));
  }
  if (!(shape.rope_theta > 0) || !std::isfinite(shape.rope_theta)) {
    refuse("rope_theta is " + std::to_string(shape.rope_theta) + "; it must be positive and finite");
  }
}

}  // namespace

void check(Shape const& shape) {
  const std::pair<char const*, std::int64_t> dimensions[] = {
      {"layers", shape.layers}, {"d_model", shape.d_model},       {"heads", shape.heads},
      {"d_ff", shape.d_ff},     {"vocabulary", shape.vocabulary}, {"context", shape.context}};
  for (auto const& [name, value] : dimensions) {
    if (value <= 0) refuse(std::string(name) + " is " + std::to_string(value) + "; it must be positive");
  }
  check_heads(shape);
  check_rotations(shape);
}

}  // namespace ddproxy::model
