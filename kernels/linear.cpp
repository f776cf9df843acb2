// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/linear.hpp"

#include <cstdint>

#include "kernels/base/teams.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/norm/row_sum.hpp"

namespace ddproxy::kernels {
namespace {

Matrix plain(float const* data, Index columns) {
  return {data, columns};
}
Matrix transposed(float const* data, Index columns) {
  return {data, columns, true};
}
Matrix transpose_of(Matrix m) {
  m.transposed = !m.transposed;
  return m;
}

/// Returns beta of gemm(): 1 if a product is added to the result, 0 if it is assigned.
float beta(SumMode mode) {
  return mode == SumMode::add ? 1.0F : 0.0F;
}

void fill_rows(Space const& exec, Index rows, Index columns, float const* row, float* y) {
  Kokkos::parallel_for(
      "fill_rows", teams_of_rows(exec, rows, columns), KOKKOS_LAMBDA(Team const& team) {
        float* const out = y + team.league_rank() * columns;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) { out[c] = row[c]; });
      });
}

bool is_aligned(float const* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/// Computes the gradient of the bias, if there is one. Returns dy as an operand that both products use. If
/// products run in bf16, both use the same rounded copy of dy. One kernel sums dy and writes this copy if the
/// memory is aligned and the dimensions are multiples of 8.
Matrix sum_and_keep(Space const& exec, LinearSize size, float const* dy, LinearGradients const& out,
                    float* scratch) {
  Matrix gradient = plain(dy, size.out);
  if (out.bias == nullptr) return keep_rounded(exec, size.rows, size.out, gradient);
  const bool aligned = is_aligned(dy) && is_aligned(scratch);
  if (Bf16* const copy = aligned ? memory_of_kept(exec, size.rows, size.out) : nullptr) {
    row_sum_and_copy(exec, size.rows, size.out, dy, out.bias, scratch, out.parameters, copy);
    gradient.is_kept = true;
    return gradient;
  }
  row_sum(exec, size.rows, size.out, dy, out.bias, scratch, out.parameters);
  return keep_rounded(exec, size.rows, size.out, gradient);
}

}  // namespace

void linear_forward(Space const& exec, LinearSize size, float const* x, float const* weight,
                    float const* bias, float* y) {
  if (bias != nullptr) fill_rows(exec, size.rows, size.out, bias, y);
  gemm(exec, {size.rows, size.out, size.in}, 1, plain(x, size.in), plain(weight, size.out),
       bias != nullptr ? 1 : 0, {y, size.out});
}

void linear_backward(Space const& exec, LinearSize size, float const* x, float const* weight, float const* dy,
                     LinearGradients out, float* scratch) {
  const Matrix gradient = sum_and_keep(exec, size, dy, out, scratch);
  gemm(exec, {size.in, size.out, size.rows}, 1, transposed(x, size.in), gradient, beta(out.parameters),
       {out.weight, size.out});
  gemm(exec, {size.rows, size.in, size.out}, 1, gradient, transposed(weight, size.out), beta(out.of_x),
       {out.x, size.in});
}

void head_forward(Space const& exec, LinearSize size, float const* x, float const* table, float* logits) {
  gemm(exec, {size.rows, size.out, size.in}, 1, plain(x, size.in), transposed(table, size.in), 0,
       {logits, size.out});
}

void head_backward(Space const& exec, LinearSize size, float const* x, float const* table,
                   float const* dlogits, float* dtable, float* dx, SumMode of_table) {
  const Matrix gradient = keep_rounded(exec, size.rows, size.out, plain(dlogits, size.out));
  gemm(exec, {size.out, size.in, size.rows}, 1, transpose_of(gradient), plain(x, size.in), beta(of_table),
       {dtable, size.in});
  gemm(exec, {size.rows, size.in, size.out}, 1, gradient, plain(table, size.in), 0, {dx, size.in});
}

}  // namespace ddproxy::kernels
