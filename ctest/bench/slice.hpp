// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "miniapp/compute/kernel_backward.hpp"

namespace ddproxy::bench {

/// Times a GPT-2-large with few layers: its whole backward pass, and only the matrix products of that pass.
class Slice {
 public:
  Slice(std::int64_t layers, std::int64_t vocabulary, std::int64_t tokens);

  double backward_seconds();
  double product_seconds();

 private:
  /// `at` is the index of the first element of the weight in ready order.
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
