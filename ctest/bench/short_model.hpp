// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "miniapp/compute/kernel_backward.hpp"

namespace ddproxy::bench {

/// Times GPT-2-large with few layers and one sequence of `tokens` tokens: the whole backward pass, and the
/// matrix products of this pass alone.
class ShortModel {
 public:
  ShortModel(std::int64_t layers, std::int64_t vocabulary, std::int64_t tokens);

  double backward_seconds();
  double product_seconds();

 private:
  /// `at` is the index of the weight's first element in the arena.
  void linear_products(model::Operation const& operation, std::size_t at);
  void head_products();
  void attention_products();

  model::Shape shape_;
  model::BackwardPass pass_;
  model::Tokens tokens_;
  kernels::Floats arena_;
  std::unique_ptr<KernelBackward> backward_;
  kernels::Space exec_;
  kernels::Floats in_, out_, dqkv_, scores_;
};

}  // namespace ddproxy::bench
