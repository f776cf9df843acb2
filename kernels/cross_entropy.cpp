// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cross_entropy.hpp"

#include "kernels/power_of_two.hpp"
#include "kernels/teams.hpp"

namespace ddproxy::kernels {
namespace {

/// The logit that a row's others are compared with, and the same to the base 2.
struct Reference {
  float logit;
  float shift;  ///< log2_of_e logit, in a float

  KOKKOS_FUNCTION explicit Reference(float of) : logit(of), shift(rounded(of)) {}

  /// log of the sum of exp(logit of the row - logit), from that of 2^(log2_of_e logit of the row - shift).
  /// What rounding took from `shift` is taken from it, so that the loss of a token that is all but certain is
  /// all but 0.
  KOKKOS_FUNCTION float log_of(float sum) const {
    constexpr float log_of_two = 0.693147181F;
    return Kokkos::fma(-log_of_two, Kokkos::fma(log2_of_e, logit, -shift), Kokkos::log(sum));
  }

 private:
  // volatile: with fast-math a compiler may take it that nothing is rounded
  KOKKOS_FUNCTION static float rounded(float of) {
    float const volatile product = log2_of_e * of;
    return product;
  }
};

struct Forward {
  Index vocabulary;
  float const* logits;
  int const* targets;
  float* log_sum;
  float* loss;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = team.league_rank();
    float const* const in = logits + row * vocabulary;
    Reference reference(largest_of(team, in, vocabulary < first_look ? vocabulary : first_look));
    float sum = scaled_sum(team, in, reference);
    if (sum > most) {
      reference = Reference(largest_of(team, in, vocabulary));
      sum = scaled_sum(team, in, reference);
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      log_sum[row] = reference.logit + reference.log_of(sum);
      loss[row] = log_sum[row] - in[targets[row]];
    });
  }

  // The sum is taken over exp(logit - reference), so that none overflows. Any reference not too far below the
  // largest logit does: the largest of a few, so that the logits are read from memory once, unless the sum
  // says that others are much larger.
  static constexpr Index first_look = 256;
  static constexpr float most = 1e25F;  // what a logit that is cut makes it exceed

  KOKKOS_FUNCTION float largest_of(Team const& team, float const* in, Index count) const {
    float largest = in[0];
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, count), [=](Index v, float& best) { best = Kokkos::max(best, in[v]); },
        Kokkos::Max<float>(largest));
    return largest;
  }

  /// The sum of 2^(log2_of_e logit - shift).
  KOKKOS_FUNCTION float scaled_sum(Team const& team, float const* in, Reference const& reference) const {
    constexpr float highest = 86;  // 2^86 is above `most`, and the sum of many still a float
    const float shift = reference.shift;
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, vocabulary),
        [=](Index v, float& part) {
          const float exponent = Kokkos::fma(log2_of_e, in[v], -shift);
          part += power_of_two(exponent < highest ? exponent : highest);
        },
        sum);
    return sum;
  }
};

struct Backward {
  Index vocabulary;
  float const* logits;
  float const* log_sum;
  int const* targets;
  float scale;
  float* dlogits;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = team.league_rank();
    float const* const in = logits + row * vocabulary;
    float* const out = dlogits + row * vocabulary;
    const float denominator = log_sum[row];
    const float factor = scale;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, vocabulary),
                         [=](Index v) { out[v] = factor * power_of_two(log2_of_e * (in[v] - denominator)); });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&]() { out[targets[row]] -= scale; });
  }
};

}  // namespace

void cross_entropy_forward(Space const& exec, Index rows, Index vocabulary, float const* logits,
                           int const* targets, float* log_sum, float* loss) {
  const Forward forward{vocabulary, logits, targets, log_sum, loss};
  Kokkos::parallel_for("cross_entropy_forward", teams_of_rows(exec, rows, vocabulary), forward);
}

void cross_entropy_backward(Space const& exec, Index rows, Index vocabulary, float const* logits,
                            float const* log_sum, int const* targets, float scale, float* dlogits) {
  const Backward backward{vocabulary, logits, log_sum, targets, scale, dlogits};
  Kokkos::parallel_for("cross_entropy_backward", teams_of_rows(exec, rows, vocabulary), backward);
}

}  // namespace ddproxy::kernels
