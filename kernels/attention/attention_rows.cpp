// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention/attention_rows.hpp"

#include <string>

#include "kernels/base/power_of_two.hpp"
#include "kernels/base/teams.hpp"

namespace ddproxy::kernels {
namespace {

struct Softmax {
  TileRows tile;
  float* scores;
  float* log_sum;
  Index log_sum_step;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index all = row_of(team);
    if (all >= tile.all_rows()) return;
    const Index row = all % tile.rows;
    const Index seen = tile.first + row + 1;
    float* const s = scores + all * tile.keys;
    float largest = s[0];
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, seen), [=](Index j, float& best) { best = Kokkos::max(best, s[j]); },
        Kokkos::Max<float>(largest));
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, seen),
        [=](Index j, float& part) {
          s[j] = power_of_two(log2_of_e * (s[j] - largest));
          part += s[j];
        },
        sum);
    const float factor = 1 / sum;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, seen), [=](Index j) { s[j] *= factor; });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, seen, tile.keys), [=](Index j) { s[j] = 0; });
    float* const out = log_sum + all / tile.rows * log_sum_step + row;
    Kokkos::single(Kokkos::PerThread(team), [=]() { *out = largest + Kokkos::log(sum); });
  }
};

struct SoftmaxBackward {
  TileRows tile;
  RowGradients rows;
  float* scores;
  float* dscores;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index all = row_of(team);
    if (all >= tile.all_rows()) return;
    const Index row = all % tile.rows;
    const Index head = all / tile.rows;
    const Index seen = tile.first + row + 1;
    float* const s = scores + all * tile.keys;
    float* const ds = dscores + all * tile.keys;
    const float log_sum = rows.log_sum[head * rows.log_sum_step + row];
    const float inner = inner_product(team, rows.start(head, row));
    const float scale = rows.scale;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, seen), [=](Index j) {
      const float p = power_of_two(log2_of_e * (s[j] - log_sum));
      ds[j] = scale * p * (ds[j] - inner);
      s[j] = p;
    });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, seen, tile.keys),
                         [=](Index j) { s[j] = ds[j] = 0; });
  }

  /// Returns the sum over d of dout[d] out[d] for the row that begins at `start`. It equals the sum of dP P
  /// over the keys of the row.
  KOKKOS_FUNCTION float inner_product(Team const& team, Index start) const {
    float const* const dout = rows.dout + start;
    float const* const out = rows.out + start;
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, rows.head_size),
        [=](Index d, float& part) { part += dout[d] * out[d]; }, sum);
    return sum;
  }
};

}  // namespace

void softmax_rows(Space const& exec, TileRows tile, float* scores, float* log_sum, Index log_sum_step) {
  const Softmax softmax{tile, scores, log_sum, log_sum_step};
  Kokkos::parallel_for("softmax_rows", threads_of_rows(exec, tile.all_rows()), softmax);
}

void softmax_rows_backward(Space const& exec, TileRows tile, RowGradients rows, float* scores,
                           float* dscores) {
  const SoftmaxBackward backward{tile, rows, scores, dscores};
  static const std::string label = "softmax_rows_backward";
  Kokkos::parallel_for(label, threads_of_rows(exec, tile.all_rows()), backward);
}

}  // namespace ddproxy::kernels
