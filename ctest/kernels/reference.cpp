// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reference.hpp"

#include <cmath>

namespace ddproxy::reference {

Array linear(Size rows, Size in, Size out, Array const& x, Array const& weight, Array const& bias) {
  Array y(rows * out, 0.0);
  for (Size n = 0; n < rows; ++n) {
    for (Size o = 0; o < out && !bias.empty(); ++o) y[n * out + o] = bias[o];
    for (Size i = 0; i < in; ++i)
      for (Size o = 0; o < out; ++o) y[n * out + o] += x[n * in + i] * weight[i * out + o];
  }
  return y;
}

LinearGradients linear_backward(Size rows, Size in, Size out, Array const& x, Array const& weight,
                                Array const& dy) {
  LinearGradients d{Array(rows * in, 0.0), Array(in * out, 0.0), Array(out, 0.0)};
  for (Size n = 0; n < rows; ++n) {
    for (Size o = 0; o < out; ++o) d.bias[o] += dy[n * out + o];
    for (Size i = 0; i < in; ++i)
      for (Size o = 0; o < out; ++o) {
        d.weight[i * out + o] += x[n * in + i] * dy[n * out + o];
        d.x[n * in + i] += dy[n * out + o] * weight[i * out + o];
      }
  }
  return d;
}

Array head(Size rows, Size in, Size out, Array const& x, Array const& table) {
  Array y(rows * out, 0.0);
  for (Size n = 0; n < rows; ++n)
    for (Size o = 0; o < out; ++o)
      for (Size i = 0; i < in; ++i) y[n * out + o] += x[n * in + i] * table[o * in + i];
  return y;
}

LinearGradients head_backward(Size rows, Size in, Size out, Array const& x, Array const& table,
                              Array const& dy) {
  LinearGradients d{Array(rows * in, 0.0), Array(in * out, 0.0), {}};
  for (Size n = 0; n < rows; ++n)
    for (Size o = 0; o < out; ++o)
      for (Size i = 0; i < in; ++i) {
        d.weight[o * in + i] += dy[n * out + o] * x[n * in + i];
        d.x[n * in + i] += dy[n * out + o] * table[o * in + i];
      }
  return d;
}

Array gelu(Array const& x) {
  Array y(x.size());
  for (Size i = 0; i < x.size(); ++i)
    y[i] = x[i] / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x[i] + 0.044715 * std::pow(x[i], 3))));
  return y;
}

Array gelu_backward(Array const& x, Array const& dy) {
  Array dx(x.size());
  for (Size i = 0; i < x.size(); ++i) {
    const double t = std::tanh(std::sqrt(2 / M_PI) * (x[i] + 0.044715 * std::pow(x[i], 3)));
    const double du = std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x[i] * x[i]);
    dx[i] = dy[i] * ((1 + t) / 2 + x[i] / 2 * (1 - t * t) * du);
  }
  return dx;
}

double cross_entropy(Size rows, Size vocabulary, Array const& logits, Tokens const& targets) {
  double loss = 0;
  for (Size n = 0; n < rows; ++n) {
    double sum = 0;
    for (Size v = 0; v < vocabulary; ++v) sum += std::exp(logits[n * vocabulary + v]);
    loss += std::log(sum) - logits[n * vocabulary + static_cast<Size>(targets[n])];
  }
  return loss / static_cast<double>(rows);
}

Array cross_entropy_backward(Size rows, Size vocabulary, Array const& logits, Tokens const& targets) {
  Array d(rows * vocabulary);
  for (Size n = 0; n < rows; ++n) {
    double sum = 0;
    for (Size v = 0; v < vocabulary; ++v) sum += std::exp(logits[n * vocabulary + v]);
    for (Size v = 0; v < vocabulary; ++v) {
      const double hit = v == static_cast<Size>(targets[n]) ? 1 : 0;
      d[n * vocabulary + v] = (std::exp(logits[n * vocabulary + v]) / sum - hit) / static_cast<double>(rows);
    }
  }
  return d;
}

Array embedding(Size sequence, Size columns, Tokens const& tokens, Array const& table,
                Array const& positions) {
  Array x(tokens.size() * columns);
  for (Size n = 0; n < tokens.size(); ++n)
    for (Size c = 0; c < columns; ++c)
      x[n * columns + c] =
          table[static_cast<Size>(tokens[n]) * columns + c] + positions[n % sequence * columns + c];
  return x;
}

void add_token_gradient(Size columns, Tokens const& tokens, Array const& dx, Array& dtable) {
  for (Size n = 0; n < tokens.size(); ++n)
    for (Size c = 0; c < columns; ++c)
      dtable[static_cast<Size>(tokens[n]) * columns + c] += dx[n * columns + c];
}

Array position_gradient(Size sequence, Size columns, Size context, Array const& dx) {
  Array d(context * columns, 0.0);
  for (Size i = 0; i < dx.size(); ++i) d[i % (sequence * columns)] += dx[i];
  return d;
}

}  // namespace ddproxy::reference
