// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cross_entropy.hpp"

#include <string>

#include "kernels/base/power_of_two.hpp"
#include "kernels/base/teams.hpp"

namespace ddproxy::kernels {
namespace {

/// The value that is subtracted from all logits of a row, and the same value in the base 2:
/// exp(x - logit) = 2^(log2_of_e x - shift).
struct Reference {
  float logit;
  float shift;  ///< log2_of_e logit, rounded to a float

  KOKKOS_FUNCTION explicit Reference(float of) : logit(of), shift(rounded(of)) {}

  /// Returns log(sum over v of exp(x[v] - logit)), where x are the logits of the row. `sum` is the sum over v
  /// of 2^(log2_of_e x[v] - shift). The result is
  ///   log(sum) - log(2) (log2_of_e logit - shift)
  /// The second term corrects the rounding error of `shift`. If the probability of the target is near 1, the
  /// loss is near 0. Without the correction, the error could then be larger than the loss.
  KOKKOS_FUNCTION float log_of(float sum) const {
    constexpr float log_of_two = 0.693147181F;
    return Kokkos::fma(-log_of_two, Kokkos::fma(log2_of_e, logit, -shift), Kokkos::log(sum));
  }

 private:
  // volatile: with -ffast-math a compiler may assume that the product is not rounded
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

  // The kernel sums exp(logit - reference). Any reference works that is not far below the largest logit: then
  // no term overflows. The first try takes the largest of the first 256 logits, so that all logits are read
  // from memory only once. If the sum then exceeds `most`, some logit is much larger: the kernel takes the
  // largest of all logits and sums again.
  static constexpr Index first_look = 256;
  static constexpr float most = 1e25F;  // a single term that is clipped, 2^86 = 7.7e25, exceeds it

  KOKKOS_FUNCTION float largest_of(Team const& team, float const* in, Index count) const {
    float largest = in[0];
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, count), [=](Index v, float& best) { best = Kokkos::max(best, in[v]); },
        Kokkos::Max<float>(largest));
    return largest;
  }

  /// Returns the sum over v of 2^(log2_of_e in[v] - shift). Exponents above 86 are clipped to 86.
  KOKKOS_FUNCTION float scaled_sum(Team const& team, float const* in, Reference const& reference) const {
    constexpr float highest = 86;  // 2^86 is above `most`, and a sum of many such terms does not overflow
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
    const auto gradient = [=](float logit) {
      return factor * power_of_two(log2_of_e * (logit - denominator));
    };
    if constexpr (on_device)
      assign_several_at_once(team, in, gradient, out);
    else
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, vocabulary),
                           [=](Index v) { out[v] = gradient(in[v]); });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&]() { out[targets[row]] -= scale; });
  }

  /// Assigns out[v] = gradient(in[v]). A thread of a device reads one logit of each quarter of the row before
  /// it writes, so that four reads are on their way at the same time.
  template <class Gradient>
  KOKKOS_FUNCTION void assign_several_at_once(Team const& team, float const* in, Gradient const& gradient,
                                              float* out) const {
    constexpr int parts = 4;
    const Index end = vocabulary, part = (end + parts - 1) / parts;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, part), [=](Index first) {
      float logits_of_parts[parts];
      for (int i = 0; i < parts; ++i) {
        const Index v = first + i * part;
        logits_of_parts[i] = in[v < end ? v : first];
      }
      for (int i = 0; i < parts; ++i)
        if (const Index v = first + i * part; v < end) out[v] = gradient(logits_of_parts[i]);
    });
  }
};

}  // namespace

void cross_entropy_forward(Space const& exec, Index rows, Index vocabulary, float const* logits,
                           int const* targets, float* log_sum, float* loss) {
  const Forward forward{vocabulary, logits, targets, log_sum, loss};
  static const std::string label = "cross_entropy_forward";
  Kokkos::parallel_for(label, teams_of_rows(exec, rows, vocabulary), forward);
}

void sum_of_losses(Space const& exec, Index rows, float const* loss, double* sum) {
  Kokkos::parallel_for(
      "sum_of_losses", teams_of_rows(exec, 1, rows), KOKKOS_LAMBDA(Team const& team) {
        double total = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, rows),
            [=](Index n, double& part) { part += static_cast<double>(loss[n]); }, total);
        Kokkos::single(Kokkos::PerTeam(team), [=]() { *sum = total; });
      });
}

void cross_entropy_backward(Space const& exec, Index rows, Index vocabulary, float const* logits,
                            float const* log_sum, int const* targets, float scale, float* dlogits) {
  const Backward backward{vocabulary, logits, log_sum, targets, scale, dlogits};
  static const std::string label = "cross_entropy_backward";
  Kokkos::parallel_for(label, teams_of_rows(exec, rows, vocabulary), backward);
}

}  // namespace ddproxy::kernels
