// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/linear.hpp"

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

}  // namespace

void linear_forward(Space const& exec, LinearSize size, float const* x, float const* weight,
                    float const* bias, float* y) {
  if (bias != nullptr) fill_rows(exec, size.rows, size.out, bias, y);
  gemm(exec, {size.rows, size.out, size.in}, 1, plain(x, size.in), plain(weight, size.out),
       bias != nullptr ? 1 : 0, {y, size.out});
}

void linear_backward(Space const& exec, LinearSize size, float const* x, float const* weight, float const* dy,
                     LinearGradients out, float* scratch) {
  if (out.bias != nullptr) row_sum(exec, size.rows, size.out, dy, out.bias, scratch, out.parameters);
  const Matrix gradient = keep_rounded(exec, size.rows, size.out, plain(dy, size.out));
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
