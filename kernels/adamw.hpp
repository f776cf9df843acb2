// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// The settings of AdamW. The defaults are those of torch.optim.AdamW.
struct AdamwSettings {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;
};

/// The arrays of `count` consecutive parameters. Does not own the memory.
struct AdamwArrays {
  float* parameter;       ///< [count] read and assigned
  float const* gradient;  ///< [count] read
  float* first_moment;    ///< [count] read and assigned; 0 before the first update
  float* second_moment;   ///< [count] read and assigned; 0 before the first update
};

/// Computes one update of AdamW with decoupled weight decay (Loshchilov and Hutter, arXiv:1711.05101,
/// algorithm 2), term by term as torch.optim.AdamW does. p is the parameter, g the gradient, m its first and
/// v its second moment. lr is the learning rate. t = `step` is the number of this update, counted from 1.
///   g' = gradient_scale g
///   p *= 1 - lr weight_decay
///   m += (1 - beta1) (g' - m)
///   v  = beta2 v + (1 - beta2) g'^2
///   p -= lr m / (1 - beta1^t) / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
/// gradient_scale [1] points to one float in memory of the execution space, for instance the factor that
/// clip_factor() (gradient_norm.hpp) writes. So the host need not wait for the factor. A null pointer stands
/// for the factor 1. For each parameter the update reads 16 bytes and writes 12. The arrays must not overlap.
void adamw(Space const& exec, Index count, AdamwSettings const& settings, Index step,
           AdamwArrays const& arrays, float const* gradient_scale);

}  // namespace ddproxy::kernels
