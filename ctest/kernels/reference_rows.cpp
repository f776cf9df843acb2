// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "reference.hpp"

namespace ddproxy::reference {
namespace {

struct Normalised {
  Array values;
  double rstd;
};

Normalised normalise(double const* x, Size columns) {
  const double count = static_cast<double>(columns);
  double mean = 0, variance = 0;
  for (Size c = 0; c < columns; ++c) mean += x[c] / count;
  for (Size c = 0; c < columns; ++c) variance += (x[c] - mean) * (x[c] - mean) / count;
  Normalised row{Array(columns), 1 / std::sqrt(variance + 1e-5)};
  for (Size c = 0; c < columns; ++c) row.values[c] = (x[c] - mean) * row.rstd;
  return row;
}

/// Returns the index in qkv of the first element of q, k or v (part 0, 1 or 2) of query head h for position t
/// of sequence b. heads / kv_heads consecutive query heads share one head of k and v.
Size place(AttentionSize const& s, Size b, Size t, Size part, Size h) {
  const Size token = (b * s.sequence + t) * (s.heads + 2 * s.kv_heads);
  if (part == 0) return (token + h) * s.head_size;
  return (token + s.heads + (part - 1) * s.kv_heads + h * s.kv_heads / s.heads) * s.head_size;
}

/// Returns the softmax weights of one query over the keys 0 to t.
Array weights(AttentionSize const& s, Array const& qkv, Size b, Size h, Size t) {
  Array p(t + 1, 0.0);
  double sum = 0;
  for (Size j = 0; j <= t; ++j) {
    for (Size d = 0; d < s.head_size; ++d)
      p[j] += qkv[place(s, b, t, 0, h) + d] * qkv[place(s, b, j, 1, h) + d];
    p[j] = std::exp(p[j] / std::sqrt(static_cast<double>(s.head_size)));
    sum += p[j];
  }
  for (double& weight : p) weight /= sum;
  return p;
}

/// Adds the contribution of one query to the gradients of q, k and v.
void add_query(AttentionSize const& s, Array const& qkv, double const* dout, Size b, Size h, Size t,
               Array& dqkv) {
  const Array p = weights(s, qkv, b, h, t);
  Array dp(t + 1, 0.0);
  double inner = 0;
  for (Size j = 0; j <= t; ++j) {
    for (Size d = 0; d < s.head_size; ++d) dp[j] += dout[d] * qkv[place(s, b, j, 2, h) + d];
    inner += p[j] * dp[j];
  }
  for (Size j = 0; j <= t; ++j) {
    const double ds = p[j] * (dp[j] - inner) / std::sqrt(static_cast<double>(s.head_size));
    for (Size d = 0; d < s.head_size; ++d) {
      dqkv[place(s, b, t, 0, h) + d] += ds * qkv[place(s, b, j, 1, h) + d];
      dqkv[place(s, b, j, 1, h) + d] += ds * qkv[place(s, b, t, 0, h) + d];
      dqkv[place(s, b, j, 2, h) + d] += p[j] * dout[d];
    }
  }
}

/// Calls work(b, h, t, start of the query's output) for each query.
template <class Work>
void for_each_query(AttentionSize const& s, Work const& work) {
  for (Size b = 0; b < s.batch; ++b)
    for (Size h = 0; h < s.heads; ++h)
      for (Size t = 0; t < s.sequence; ++t)
        work(b, h, t, (b * s.sequence + t) * s.heads * s.head_size + h * s.head_size);
}

}  // namespace

Array layernorm(Size rows, Size columns, Array const& x, Array const& weight, Array const& bias) {
  Array y(rows * columns);
  for (Size n = 0; n < rows; ++n) {
    const Normalised row = normalise(&x[n * columns], columns);
    for (Size c = 0; c < columns; ++c) y[n * columns + c] = row.values[c] * weight[c] + bias[c];
  }
  return y;
}

LinearGradients layernorm_backward(Size rows, Size columns, Array const& x, Array const& weight,
                                   Array const& dy) {
  LinearGradients g{Array(rows * columns), Array(columns, 0.0), Array(columns, 0.0)};
  const double count = static_cast<double>(columns);
  for (Size n = 0; n < rows; ++n) {
    const Normalised row = normalise(&x[n * columns], columns);
    double const* const d = &dy[n * columns];
    double mean = 0, mean_x = 0;
    for (Size c = 0; c < columns; ++c) {
      mean += d[c] * weight[c] / count;
      mean_x += d[c] * weight[c] * row.values[c] / count;
      g.weight[c] += d[c] * row.values[c];
      g.bias[c] += d[c];
    }
    for (Size c = 0; c < columns; ++c)
      g.x[n * columns + c] = row.rstd * (d[c] * weight[c] - mean - row.values[c] * mean_x);
  }
  return g;
}

Array attention(AttentionSize size, Array const& qkv) {
  Array out(size.batch * size.sequence * size.heads * size.head_size, 0.0);
  for_each_query(size, [&](Size b, Size h, Size t, Size start) {
    const Array p = weights(size, qkv, b, h, t);
    for (Size j = 0; j <= t; ++j)
      for (Size d = 0; d < size.head_size; ++d) out[start + d] += p[j] * qkv[place(size, b, j, 2, h) + d];
  });
  return out;
}

Array attention_backward(AttentionSize size, Array const& qkv, Array const& dout) {
  Array dqkv(qkv.size(), 0.0);
  for_each_query(
      size, [&](Size b, Size h, Size t, Size start) { add_query(size, qkv, &dout[start], b, h, t, dqkv); });
  return dqkv;
}

}  // namespace ddproxy::reference
