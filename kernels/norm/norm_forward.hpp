// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/norm/row_statistics.hpp"

// The forward passes of the norms. There are two implementations. The functions in `hosts` run on hosts only.
// The functions in `devices` are for devices, and also give right results on a host.
namespace ddproxy::kernels {

/// The inputs of a norm's forward pass and its sizes: x [rows, columns], weight [columns], bias [columns]. A
/// null pointer as the bias stands for 0. An RMS norm has no bias.
struct NormForward {
  Index rows;
  Index columns;
  float const* x;
  float const* weight;
  float const* bias = nullptr;
};

namespace hosts {
/// Assigns y [rows, columns] and the statistics, as layernorm_forward() (kernels/norm/layernorm.hpp) says.
void layernorm_forward(Space const& exec, NormForward const& in, float* y, RowStatistics statistics);
/// Assigns y [rows, columns] and inverse_rms [rows], as rmsnorm_forward() (kernels/norm/rmsnorm.hpp) says.
void rmsnorm_forward(Space const& exec, NormForward const& in, float* y, float* inverse_rms);
}  // namespace hosts

/// The functions take the same arguments and compute the same results as the functions in `hosts`.
namespace devices {
void layernorm_forward(Space const& exec, NormForward const& in, float* y, RowStatistics statistics);
void rmsnorm_forward(Space const& exec, NormForward const& in, float* y, float* inverse_rms);
}  // namespace devices

}  // namespace ddproxy::kernels
