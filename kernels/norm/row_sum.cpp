// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/norm/row_sum.hpp"

#include "kernels/norm/row_sums.hpp"

namespace ddproxy::kernels {

Index row_parts(Space const& exec) {
  return row_parts(Index{exec.concurrency()});
}

void row_sum(Space const& exec, Index rows, Index columns, float const* x, float* sum, float* scratch,
             SumMode mode) {
  const RowParts size{rows, columns, row_parts(exec)};
  if constexpr (on_device)
    devices::row_sum(exec, size, x, scratch);
  else
    hosts::row_sum(exec, size, x, scratch);
  add_parts(exec, size.parts, columns, scratch, sum, mode);
}

void row_sum_and_copy(Space const& exec, Index rows, Index columns, float const* x, float* sum,
                      float* scratch, SumMode mode, Bf16* copy) {
  const RowParts size{rows, columns, row_parts(exec)};
  devices::row_sum_and_copy(exec, size, x, scratch, copy);
  add_parts(exec, size.parts, columns, scratch, sum, mode);
}

void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum,
               SumMode mode) {
  if constexpr (on_device)
    devices::add_parts(exec, parts, columns, partial, sum, mode);
  else
    hosts::add_parts(exec, parts, columns, partial, sum, mode);
}

}  // namespace ddproxy::kernels
