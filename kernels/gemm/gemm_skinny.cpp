// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/gemm_skinny.hpp"

#include <algorithm>

#include "kernels/gemm/gemm_pack.hpp"
#include "kernels/gemm/gemm_tile.hpp"

namespace ddproxy::kernels {
namespace {

// Within these limits the products were measured to be faster than with OpenBLAS
// (docs/measurements/kernels.md).
constexpr Index most_tokens = 256;                                   // rows of A, for A B^T
constexpr Index most_tokens_summed = tile::lanes == 16 ? 256 : 128;  // inner dimension, for A^T B
constexpr Index most_tokens_beside_rows =
    tile::lanes == 16 ? 128 : 0;     // rows of A, for A B, which packs B; 0: always use BLAS
constexpr Index fewest_others = 64;  // least size of the other dimensions

// Sizes of blocks. With these sizes the data that are used again stay in a cache.
constexpr Index rows_at_once = 32 * tile::rows;               // rows of the left operand
constexpr Index packed_rows_at_once = 128;                    // rows of B that are packed at once
constexpr Index packed_columns_at_once = 32 * tile::columns;  // columns of B that are packed at once
constexpr Index run_at_once = 1024;      // elements along the inner dimension: one memory page
constexpr Index packed_at_once = 65536;  // elements of the packed right operand

/// Divides `count` items among the threads and calls work(first, last) on each thread for its share. Each
/// share begins at a multiple of `unit`.
template <class Work>
void share(Space const& exec, Index count, Index unit, Work const& work) {
  const Index units = (count + unit - 1) / unit;
  const Index parts = std::min<Index>(exec.concurrency(), units);
  Kokkos::parallel_for("gemm_skinny", Range(exec, 0, parts), [=](Index part) {
    work(units * part / parts * unit, std::min(count, units * (part + 1) / parts * unit));
  });
}

/// Packs all of op(B) into consecutive panels and returns them. All threads pack; all threads may read the
/// result. It is valid until the calling thread packs again.
float const* pack(Space const& exec, Matrix const& b, Index inner, Index columns) {
  float* const packed = buffer<shared>(inner * (columns + tile::lanes));
  share(exec, columns, tile::columns, [=](Index begin, Index end) {
    for (Index j = begin; j < end; j += tile::columns) pack_panel(b, inner, columns, j, packed + inner * j);
  });
  return packed;
}

/// Prefetches `count` rows of B from row k on, in the panel that starts at column `first`. These rows are
/// packed next. The prefetch runs while the processor multiplies.
void prefetch(Matrix const& b, Index first, Index k, Index count) {
  constexpr Index line = 64 / sizeof(float);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < tile::columns; j += line)
      __builtin_prefetch(b.data + (k + i) * b.stride + first + j, 0, 2);
}

/// Computes columns [first, last) of C = A B, or of C += A B with Write::add, for an A with few rows.
void few_rows_of(GemmSize size, Matrix const& a, Matrix const& b, Index first, Index last, tile::Write write,
                 Result const& c) {
  float* const packed = buffer<own>(packed_rows_at_once * (last - first + tile::columns));
  for (Index k = 0; k < size.inner; k += packed_rows_at_once) {
    const Index count = std::min(packed_rows_at_once, size.inner - k);
    pack_rows(b, first, last, k, count, packed);
    for (Index j = first; j < last; j += tile::columns) {
      const Index next = std::min(packed_rows_at_once, size.inner - k - count);
      for (Index i = 0; i < size.rows; i += tile::rows) {
        const Index share_begin = next * i / size.rows;
        prefetch(b, j, k + count + share_begin,
                 next * std::min(i + tile::rows, size.rows) / size.rows - share_begin);
        const Index width = panel_width(last, j);
        tile::multiply(width / tile::lanes, count, rows_of(a, i, size.rows, k),
                       {packed + (j - first) * count, width},
                       {c.data + i * c.stride + j, c.stride, std::min<Index>(tile::rows, size.rows - i),
                        std::min(tile::columns, last - j), k > 0 ? tile::Write::add : write});
      }
    }
  }
}

/// Computes C = A B, or C += A B with Write::add, for an A with few rows. Each thread computes its own
/// columns of C. It works on blocks of columns. The blocks are so small that the packed rows of B stay in a
/// cache.
void few_rows(Space const& exec, GemmSize size, Matrix a, Matrix b, tile::Write write, Result c) {
  share(exec, size.columns, tile::columns, [=](Index first, Index last) {
    for (Index j = first; j < last; j += packed_columns_at_once)
      few_rows_of(size, a, b, j, std::min(last, j + packed_columns_at_once), write, c);
  });
}

/// Assigns c[j, i] = from[i, j] for i < rows and j < columns. Rows of `from` are `width` elements apart.
void store_transposed(float const* from, Index rows, Index width, Index columns, Result c) {
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i) c.data[j * c.stride + i] = from[i * width + j];
}

/// Computes C = A B^T for an A with few rows. It computes C^T = B A^T, so that the rows of B are the left
/// operand and need no packing.
void few_rows_transposed(Space const& exec, GemmSize size, Matrix a, Matrix b, Result c) {
  a.transposed = true;
  float const* const packed = pack(exec, a, size.inner, size.rows);
  const Index width = panel_width(size.rows, 0);
  share(exec, size.columns, tile::rows, [=](Index begin, Index end) {
    float* const block = buffer<own>(rows_at_once * width);
    for (Index first = begin; first < end; first += rows_at_once) {
      const Index last = std::min(end, first + rows_at_once);
      for (Index i = 0; i < size.rows; i += tile::columns) {
        const Index panel = panel_width(size.rows, i);
        for (Index k = 0; k < size.inner; k += run_at_once)
          for (Index j = first; j < last; j += tile::rows)
            tile::multiply(panel / tile::lanes, std::min(run_at_once, size.inner - k),
                           rows_of(b, j, size.columns, k), {packed + size.inner * i + k * panel, panel},
                           {block + (j - first) * width, width, std::min<Index>(tile::rows, last - j), panel,
                            k > 0 ? tile::Write::add : tile::Write::assign});
        store_transposed(block, last - first, width, std::min(width, size.rows - i),
                         {c.data + i * c.stride + first, c.stride});
      }
    }
  });
}

// How the results of few_inner() are written. A vector of 16 floats fills a cache line, and writing it past
// the caches is fastest. For smaller vectors it is faster to prefetch the line while the tile is computed.
constexpr auto write_once = tile::lanes == 16 ? tile::Write::stream : tile::Write::assign;

void prefetch_to_write(tile::Output const& out) {
  if (out.write == tile::Write::stream) return;
  for (Index r = 0; r < out.rows; ++r) __builtin_prefetch(out.data + r * out.stride, 1, 3);
}

tile::Left group(float const* packed) {
  return {{packed, packed + 1, packed + 2, packed + 3, packed + 4, packed + 5}, tile::rows};
}

/// Computes C = A^T B for a small inner dimension. Writes each element of C once, in long runs of each row.
void few_inner(Space const& exec, GemmSize size, Matrix a, Matrix b, Result c) {
  float const* const packed = pack(exec, b, size.inner, size.columns);
  const Index run = std::max<Index>(1, packed_at_once / (size.inner * tile::columns)) * tile::columns;
  share(exec, size.rows, tile::rows, [=](Index begin, Index end) {
    float* const groups = buffer<own>(rows_at_once * size.inner);
    for (Index first = begin; first < end; first += rows_at_once) {
      const Index last = std::min(end, first + rows_at_once);
      pack_groups(a, size.inner, first, last, groups);
      for (Index start = 0; start < size.columns; start += run)
        for (Index i = first; i < last; i += tile::rows)
          for (Index j = start; j < std::min(size.columns, start + run); j += tile::columns) {
            const Index width = panel_width(size.columns, j);
            const tile::Output out{c.data + i * c.stride + j, c.stride, std::min<Index>(tile::rows, last - i),
                                   std::min(tile::columns, size.columns - j), write_once};
            prefetch_to_write(out);
            tile::multiply(width / tile::lanes, size.inner, group(groups + (i - first) * size.inner),
                           {packed + size.inner * j, width}, out);
          }
    }
    tile::finish_streaming();
  });
}

}  // namespace

bool is_skinny(GemmSize size, float alpha, Matrix a, Matrix b, float beta) {
  const bool plain = !a.transposed && !b.transposed;
  if (beta != 0 && !(beta == 1 && plain)) return false;
  if (!tile::faster_than_blas || alpha != 1 || size.columns < fewest_others) return false;
  if (a.transposed) return !b.transposed && size.inner <= most_tokens_summed && size.rows >= fewest_others;
  return size.rows <= (b.transposed ? most_tokens : most_tokens_beside_rows) && size.inner >= fewest_others;
}

void gemm_skinny(Space const& exec, GemmSize size, Matrix a, Matrix b, float beta, Result c) {
  if (a.transposed)
    few_inner(exec, size, a, b, c);
  else if (b.transposed)
    few_rows_transposed(exec, size, a, b, c);
  else
    few_rows(exec, size, a, b, beta == 1 ? tile::Write::add : tile::Write::assign, c);
}

}  // namespace ddproxy::kernels
