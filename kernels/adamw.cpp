// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/adamw.hpp"

#include <cmath>

#include "kernels/base/teams.hpp"

namespace ddproxy::kernels {
namespace {

/// Number of parameters that one team updates. On a host the number is so large that the time to start a team
/// does not matter.
constexpr Index block = on_device ? 2048 : 16384;

/// The factors of one update, computed in double and rounded once.
struct Factors {
  float decay;         ///< 1 - lr weight_decay
  float first;         ///< 1 - beta1
  float keep_second;   ///< beta2
  float second;        ///< 1 - beta2
  float step;          ///< lr / (1 - beta1^t)
  float inverse_root;  ///< 1 / sqrt(1 - beta2^t)
  float epsilon;
};

Factors factors_of(AdamwSettings const& s, Index step) {
  const double t = static_cast<double>(step);
  const double first_correction = 1 - std::pow(s.beta1, t);
  const double second_correction = 1 - std::pow(s.beta2, t);
  return {static_cast<float>(1 - s.learning_rate * s.weight_decay),
          static_cast<float>(1 - s.beta1),
          static_cast<float>(s.beta2),
          static_cast<float>(1 - s.beta2),
          static_cast<float>(s.learning_rate / first_correction),
          static_cast<float>(1 / std::sqrt(second_correction)),
          static_cast<float>(s.epsilon)};
}

struct Update {
  Index count;
  Factors factors;
  AdamwArrays arrays;
  float const* gradient_scale;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index first = team.league_rank() * block;
    const Index last = Kokkos::min(count, first + block);
    // Copies the members, because a compiler must assume that a store to a float changes them.
    const Factors f = factors;
    const float scale = gradient_scale != nullptr ? *gradient_scale : 1;
    float* const p = arrays.parameter;
    float const* const g = arrays.gradient;
    float* const m = arrays.first_moment;
    float* const v = arrays.second_moment;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, first, last), [=](Index i) {
      const float gradient = scale * g[i];
      const float mean = m[i] + f.first * (gradient - m[i]);
      const float square = f.keep_second * v[i] + f.second * gradient * gradient;
      m[i] = mean;
      v[i] = square;
      p[i] = f.decay * p[i] - f.step * mean / (Kokkos::sqrt(square) * f.inverse_root + f.epsilon);
    });
  }
};

}  // namespace

void adamw(Space const& exec, Index count, AdamwSettings const& settings, Index step,
           AdamwArrays const& arrays, float const* gradient_scale) {
  const Update update{count, factors_of(settings, step), arrays, gradient_scale};
  Kokkos::parallel_for("adamw", teams_of_rows(exec, (count + block - 1) / block, block), update);
}

}  // namespace ddproxy::kernels
