// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/embedding.hpp"

#include <string>

#include <algorithm>
#include <numeric>

#include "kernels/base/teams.hpp"

namespace ddproxy::kernels {
namespace {

struct TokenSum {
  Index columns;
  TokenIds place;
  TokenIds first;
  int const* tokens;
  float const* dx;
  float* dtoken;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const int begin = first(team.league_rank());
    const int end = first(team.league_rank() + 1);
    float* const out = dtoken + tokens[place(begin)] * columns;
    for (int p = begin; p < end; ++p) {
      float const* const row = dx + place(p) * columns;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) { out[c] += row[c]; });
    }
  }
};

struct PositionSum {
  EmbeddingSize size;
  float const* dx;
  float* dposition;
  SumMode mode;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index position = team.league_rank();
    float* const out = dposition + position * size.columns;
    float const* const first = dx + position * size.columns;
    const bool used = position < size.sequence;
    // no barrier is needed: a thread works on the same columns in every loop
    if (mode == SumMode::add) {
      if (used) add_sequences(team, 0, first, out);
    } else if (used) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size.columns), [=](Index c) { out[c] = first[c]; });
      add_sequences(team, 1, first, out);
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size.columns), [=](Index c) { out[c] = 0; });
    }
  }

  /// Adds the position's rows of the sequences from number `begin` on to `out`. `first` is the row of
  /// sequence 0.
  KOKKOS_FUNCTION void add_sequences(Team const& team, Index begin, float const* first, float* out) const {
    for (Index b = begin; b < size.batch; ++b) {
      float const* const row = first + b * size.sequence * size.columns;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size.columns), [=](Index c) { out[c] += row[c]; });
    }
  }
};

}  // namespace

void token_forward(Space const& exec, EmbeddingSize size, int const* tokens, float const* token_table,
                   float* x) {
  const Index columns = size.columns;
  Kokkos::parallel_for(
      "token_forward", teams_of_rows(exec, size.batch * size.sequence, columns),
      KOKKOS_LAMBDA(Team const& team) {
        const Index n = team.league_rank();
        float const* const token = token_table + tokens[n] * columns;
        float* const out = x + n * columns;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) { out[c] = token[c]; });
      });
}

void position_forward(Space const& exec, EmbeddingSize size, float const* position_table, float* x) {
  const Index columns = size.columns;
  const Index sequence = size.sequence;
  static const std::string label = "position_forward";
  Kokkos::parallel_for(
      label, teams_of_rows(exec, size.batch * sequence, columns), KOKKOS_LAMBDA(Team const& team) {
        const Index n = team.league_rank();
        float const* const position = position_table + n % sequence * columns;
        float* const out = x + n * columns;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) { out[c] += position[c]; });
      });
}

void position_backward(Space const& exec, EmbeddingSize size, Index context, float const* dx,
                       float* dposition, SumMode mode) {
  const PositionSum sum{size, dx, dposition, mode};
  static const std::string label = "position_backward";
  Kokkos::parallel_for(label, teams_of_rows(exec, context, size.columns), sum);
}

TokenIds copy_tokens(std::string const& label, std::vector<int> const& tokens) {
  using Host = Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  TokenIds copy(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), tokens.size());
  Kokkos::deep_copy(copy, Host(tokens.data(), tokens.size()));
  return copy;
}

TokenGroups group_tokens(std::vector<int> const& tokens) {
  std::vector<int> place(tokens.size());
  std::iota(place.begin(), place.end(), 0);
  std::stable_sort(place.begin(), place.end(), [&](int a, int b) { return tokens[a] < tokens[b]; });
  std::vector<int> first;
  for (std::size_t p = 0; p < place.size(); ++p)
    if (p == 0 || tokens[place[p]] != tokens[place[p - 1]]) first.push_back(static_cast<int>(p));
  first.push_back(static_cast<int>(place.size()));
  return {copy_tokens("token places", place), copy_tokens("token groups", first)};
}

void token_backward(Space const& exec, Index columns, TokenGroups const& groups, int const* tokens,
                    float const* dx, float* dtoken) {
  const Index count = static_cast<Index>(groups.first.extent(0)) - 1;
  const TokenSum sum{columns, groups.place, groups.first, tokens, dx, dtoken};
  Kokkos::parallel_for("token_backward", teams_of_rows(exec, count, columns), sum);
}

}  // namespace ddproxy::kernels
