// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include "kernels/base/types.hpp"

// The innermost part of gemm_skinny() and of attention on hosts: computes one tile of the result in
// registers. For hosts only.
namespace ddproxy::kernels::tile {

// The sums of a tile take 24 of the 32 registers of AVX-512 (6 rows of 4 vectors), or 12 of the 16 registers
// of smaller vectors (6 rows of 2 vectors). If a build may use only the oldest vector instructions, the tile
// is slower than a BLAS, because a BLAS selects its kernels for the processor when the program starts.
#if defined(__AVX512F__)
inline constexpr int lanes = 16;
inline constexpr int most_vectors = 4;
inline constexpr bool faster_than_blas = true;
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr int lanes = 8;
inline constexpr int most_vectors = 2;
inline constexpr bool faster_than_blas = true;
#else
inline constexpr int lanes = 4;
inline constexpr int most_vectors = 2;
inline constexpr bool faster_than_blas = false;
#endif
inline constexpr int rows = 6;
inline constexpr Index columns = lanes * most_vectors;

using Vector = float __attribute__((vector_size(lanes * sizeof(float))));

/// Left operand of a tile: element (r, k) is row[r][k * step].
struct Left {
  float const* row[rows];
  Index step;
};

/// Right operand of a tile, row-major: its columns lie side by side, its rows `stride` elements apart.
struct Right {
  float const* data;
  Index stride;
};

/// How a tile of the result is written.
enum class Write {
  assign,
  add,
  stream,  ///< assign past the caches, for results that are not read again soon; call finish_streaming()
           ///< after the last one
};

/// The destination of a tile of the result, row-major, and the number of its rows and columns that are
/// written.
struct Output {
  float* data;
  Index stride;
  Index rows;
  Index columns;
  Write write;
};

/// Returns the `lanes` elements from `from` on, which need no alignment.
inline Vector load(float const* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// Returns whether `to` has the alignment that stream() needs: that of a Vector.
inline bool aligned(float const* to) {
  return reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector) == 0;
}

/// Writes the elements of `v` to `to`, which must be aligned(). With AVX-512 the elements go past the caches,
/// and other threads see them only after finish_streaming(). Otherwise this is store().
inline void stream(float* to, Vector v) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, v);
#else
  std::memcpy(to, &v, sizeof v);
#endif
}

/// Makes all that this thread wrote with Write::stream visible to other threads.
inline void finish_streaming() {
#ifdef __AVX512F__
  _mm_sfence();
#endif
}

/// Writes one row of the tile, out.columns elements, to `to`. `values` has the alignment of a Vector.
inline void store_row(Output const& out, float* to, float const* values) {
  if (out.write == Write::stream && out.columns % lanes == 0 && aligned(to)) {
    for (Index j = 0; j < out.columns; j += lanes) stream(to + j, load(values + j));
  } else if (out.write == Write::add) {
    for (Index j = 0; j < out.columns; ++j) to[j] += values[j];
  } else {
    std::memcpy(to, values, static_cast<std::size_t>(out.columns) * sizeof(float));
  }
}

template <int vectors>
using Sums = Vector[rows][vectors];

/// Writes the elements of `v` to `to`, which needs no alignment.
inline void store(float* to, Vector v) {
  std::memcpy(to, &v, sizeof v);
}

/// Writes a whole tile: all of its rows and columns. With Write::stream every row must be aligned.
template <int vectors>
void store_whole(Output const& out, Sums<vectors> const& sum) {
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) {
      float* const to = out.data + r * out.stride + v * lanes;
      if (out.write == Write::add)
        store(to, load(to) + sum[r][v]);
      else if (out.write == Write::stream)
        stream(to, sum[r][v]);
      else
        store(to, sum[r][v]);
    }
}

/// Returns whether store_whole() can write a tile of `width` columns to `out`: `out` takes all rows and
/// columns, and with Write::stream each of its rows is aligned().
inline bool is_whole(Output const& out, Index width) {
  if (out.rows < rows || out.columns < width) return false;
  return out.write != Write::stream || (aligned(out.data) && out.stride % lanes == 0);
}

/// Computes the product of left [rows, count] and right [count, vectors * lanes], and assigns it to the
/// result or adds it, as out.write says.
template <int vectors>
void multiply(Index count, Left const& left, Right right, Output const& out) {
  Sums<vectors> sum;
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) sum[r][v] = Vector{};
  for (Index k = 0; k < count; ++k) {
    Vector b[vectors];
    for (int v = 0; v < vectors; ++v) b[v] = load(right.data + k * right.stride + v * lanes);
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) sum[r][v] += left.row[r][k * left.step] * b[v];
  }
  if (is_whole(out, vectors * lanes)) return store_whole<vectors>(out, sum);
  // This loop over all rows must have a constant length. Otherwise the compiler does not keep the sums in
  // registers in the loop above.
  alignas(sizeof(Vector)) float values[rows][vectors * lanes];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) std::memcpy(&values[r][v * lanes], &sum[r][v], sizeof(Vector));
  for (int r = 0; r < out.rows; ++r) store_row(out, out.data + r * out.stride, values[r]);
}

/// Calls multiply<vectors>() for a number of vectors that is known at run time, 1 to most_vectors.
inline void multiply(Index vectors, Index count, Left const& left, Right right, Output const& out) {
  switch (vectors) {
    case 1:
      return multiply<1>(count, left, right, out);
    case 2:
      return multiply<2>(count, left, right, out);
#ifdef __AVX512F__
    case 3:
      return multiply<3>(count, left, right, out);
    case 4:
      return multiply<4>(count, left, right, out);
#endif
  }
}

}  // namespace ddproxy::kernels::tile
