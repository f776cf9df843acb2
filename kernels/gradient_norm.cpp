// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gradient_norm.hpp"

#include <string>

#include "kernels/base/teams.hpp"
#include "kernels/norm/row_sum.hpp"

namespace ddproxy::kernels {
namespace {

KOKKOS_INLINE_FUNCTION double square(double x) {
  return x * x;
}

/// Each team sums the squares of a part of the elements. The sum is in double: a sum of equal squares
/// in float stops growing after 2^24 of them, and GPT-2-large has 7.7e8 elements.
struct PartialSum {
  Index count;
  Index elements_a_part;
  float const* x;
  double* partial;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index first = Kokkos::min(count, team.league_rank() * elements_a_part);
    const Index last = Kokkos::min(count, first + elements_a_part);
    const Index run = (last - first) / runs;
    const double sum = sum_of_runs(team, x + first, run) + sum_of_rest(team, first + runs * run, last);
    double* const out = partial + team.league_rank();
    Kokkos::single(Kokkos::PerTeam(team), [=]() { *out = sum; });
  }

  /// Number of runs of consecutive elements that are read at the same time. Each addition to the sum has to
  /// wait for the previous addition. With several runs, an iteration first adds the squares of one element of
  /// each run to each other, and then adds the result to the sum. So only one addition in `runs` has to wait.
  static constexpr int runs = 4;

  KOKKOS_FUNCTION double sum_of_runs(Team const& team, float const* in, Index run) const {
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, run),
        [=](Index i, double& part) {
          part += (square(in[i]) + square(in[run + i])) + (square(in[2 * run + i]) + square(in[3 * run + i]));
        },
        sum);
    return sum;
  }

  KOKKOS_FUNCTION double sum_of_rest(Team const& team, Index first, Index last) const {
    float const* const in = x;
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, first, last), [=](Index i, double& part) { part += square(in[i]); },
        sum);
    return sum;
  }
};

KOKKOS_INLINE_FUNCTION double total_of(Index count, double const* values) {
  double total = 0;
  for (Index i = 0; i < count; ++i) total += values[i];
  return total;
}

}  // namespace

void sum_of_squares(Space const& exec, Index count, float const* x, SumMode mode, double* sum,
                    float* scratch) {
  const Index parts = row_parts(exec);
  const Index elements_a_part = (count + parts - 1) / parts;
  auto* const partial = reinterpret_cast<double*>(scratch);
  Kokkos::parallel_for("sum_of_squares", teams_of_rows(exec, parts, elements_a_part),
                       PartialSum{count, elements_a_part, x, partial});
  static const std::string label = "sum_of_squares of parts";
  Kokkos::parallel_for(
      label, Range(exec, 0, 1), KOKKOS_LAMBDA(Index) {
        const double before = mode == SumMode::add ? *sum : 0;
        *sum = before + total_of(parts, partial);
      });
}

void split_sum(Space const& exec, double const* sum, float* out) {
  Kokkos::parallel_for(
      "split_sum", Range(exec, 0, 1), KOKKOS_LAMBDA(Index) {
        out[0] = static_cast<float>(*sum);
        out[1] = static_cast<float>(*sum - static_cast<double>(out[0]));
      });
}

void join_sum(Space const& exec, float const* parts, double* sum) {
  Kokkos::parallel_for(
      "join_sum", Range(exec, 0, 1),
      KOKKOS_LAMBDA(Index) { *sum = static_cast<double>(parts[0]) + static_cast<double>(parts[1]); });
}

void clip_factor(Space const& exec, Index count, double const* sums, double clip, ClipResult out) {
  Kokkos::parallel_for(
      "clip_factor", Range(exec, 0, 1), KOKKOS_LAMBDA(Index) {
        constexpr double of_torch = 1e-6;
        const double norm = Kokkos::sqrt(total_of(count, sums));
        const double factor = clip / (norm + of_torch);
        if (out.norm != nullptr) *out.norm = static_cast<float>(norm);
        if (out.factor != nullptr) *out.factor = static_cast<float>(factor < 1 ? factor : 1);
      });
}

}  // namespace ddproxy::kernels
