// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "reference.hpp"

namespace ddproxy::reference {
namespace {

double root_mean_square(double const* x, Size columns) {
  double sum = 0;
  for (Size c = 0; c < columns; ++c) sum += x[c] * x[c];
  return std::sqrt(sum / static_cast<double>(columns) + 1e-5);
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

Array rmsnorm(Size rows, Size columns, Array const& x, Array const& weight) {
  Array y(rows * columns);
  for (Size n = 0; n < rows; ++n) {
    const double rms = root_mean_square(&x[n * columns], columns);
    for (Size c = 0; c < columns; ++c) y[n * columns + c] = x[n * columns + c] / rms * weight[c];
  }
  return y;
}

LinearGradients rmsnorm_backward(Size rows, Size columns, Array const& x, Array const& weight,
                                 Array const& dy) {
  LinearGradients g{Array(rows * columns), Array(columns, 0.0), {}};
  for (Size n = 0; n < rows; ++n) {
    double const* const in = &x[n * columns];
    double const* const d = &dy[n * columns];
    const double rms = root_mean_square(in, columns);
    double mean = 0;
    for (Size c = 0; c < columns; ++c) {
      mean += d[c] * weight[c] * in[c] / rms / static_cast<double>(columns);
      g.weight[c] += d[c] * in[c] / rms;
    }
    for (Size c = 0; c < columns; ++c) g.x[n * columns + c] = (d[c] * weight[c] - in[c] / rms * mean) / rms;
  }
  return g;
}

Array swiglu(Array const& gate, Array const& up) {
  Array y(gate.size());
  for (Size i = 0; i < y.size(); ++i) y[i] = gate[i] * sigmoid(gate[i]) * up[i];
  return y;
}

SwigluGradients swiglu_backward(Array const& gate, Array const& up, Array const& dy) {
  SwigluGradients d{Array(gate.size()), Array(gate.size())};
  for (Size i = 0; i < gate.size(); ++i) {
    const double s = sigmoid(gate[i]);
    d.gate[i] = dy[i] * up[i] * (s + gate[i] * s * (1 - s));
    d.up[i] = dy[i] * gate[i] * s;
  }
  return d;
}

Array rope(Size sequence, Size heads, Size head_size, double theta, Array const& x, double direction) {
  Array y(x.size());
  for (Size i = 0; i + 1 < x.size(); i += 2) {
    const Size position = i / (heads * head_size) % sequence, feature = i % head_size;
    const double exponent = static_cast<double>(feature) / static_cast<double>(head_size);
    const double angle = direction * static_cast<double>(position) / std::pow(theta, exponent);
    y[i] = x[i] * std::cos(angle) - x[i + 1] * std::sin(angle);
    y[i + 1] = x[i] * std::sin(angle) + x[i + 1] * std::cos(angle);
  }
  return y;
}

}  // namespace ddproxy::reference
