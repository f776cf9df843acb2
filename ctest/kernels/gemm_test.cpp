// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/gemm.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>

#include "compare.hpp"
#include "device.hpp"
#include "kernels/base/bf16.hpp"

namespace ddproxy::kernels {
namespace {

struct Case {
  Index count, rows, columns, inner;
};

constexpr Case cases[] = {{1, 1, 1, 1},       {1, 3, 5, 7},     {1, 64, 64, 64},   {1, 16, 129, 33},
                          {1, 130, 17, 1},    {1, 1, 70, 200},  {3, 5, 33, 19},    {4, 65, 66, 20},
                          {1, 96, 300, 16},   {1, 75, 257, 40}, {1, 200, 90, 256}, {1, 200, 90, 128},
                          {1, 256, 70, 1100}, {1, 7, 1100, 300}};

/// A row-major matrix. Its stride is the length of a row plus `wider` elements. Steps have such matrices,
/// too: q, k and v are parts of the rows of one array.
struct Operand {
  Index rows, columns, wider;
  bool transposed;
  std::vector<double> values;

  Operand(Index count, Index r, Index c, bool t, unsigned stream, Index w = 3)
      : rows(t ? c : r),
        columns(t ? r : c),
        wider(w),
        transposed(t),
        values(numbers(static_cast<std::size_t>(count * step()), stream)) {}
  Index stride() const { return columns + wider; }
  Index step() const { return rows * stride(); }
  double at(Index matrix, Index i, Index j) const {
    const Index place = transposed ? j * stride() + i : i * stride() + j;
    return values[static_cast<std::size_t>(matrix * step() + place)];
  }
  Matrix matrix(Floats const& data) const { return {data.data(), stride(), transposed, step()}; }
};

std::vector<double> expected(Case const& s, Operand const& a, Operand const& b, double alpha, double beta,
                             std::vector<double> c) {
  for (Index m = 0; m < s.count; ++m)
    for (Index i = 0; i < s.rows; ++i)
      for (Index j = 0; j < s.columns; ++j) {
        double sum = 0;
        for (Index k = 0; k < s.inner; ++k) sum += a.at(m, i, k) * b.at(m, k, j);
        double& element = c[static_cast<std::size_t>((m * s.rows + i) * s.columns + j)];
        element = alpha * sum + (beta == 0 ? 0 : beta * element);
      }
  return c;
}

using Product = void (*)(Space const&, Index, GemmSize, float, Matrix, Matrix, float, Result);

void one_product(Space const& exec, Index, GemmSize size, float alpha, Matrix a, Matrix b, float beta,
                 Result c) {
  gemm(exec, size, alpha, a, b, beta, c);
}

/// Returns the addresses of `count` matrices that lie `step` elements apart. The list is in the memory of the
/// execution space.
Kokkos::View<std::uintptr_t*, Memory> addresses(float const* data, Index count, Index step) {
  const Kokkos::View<std::uintptr_t*, Memory> list("list", static_cast<std::size_t>(count));
  const auto mirror = Kokkos::create_mirror_view(list);
  for (Index i = 0; i < count; ++i)
    mirror(static_cast<std::size_t>(i)) = reinterpret_cast<std::uintptr_t>(data + i * step);
  Kokkos::deep_copy(list, mirror);
  return list;
}

void listed_products(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b,
                     float beta, Result c) {
  const auto of_a = addresses(a.data, count, a.step), of_b = addresses(b.data, count, b.step),
             of_c = addresses(c.data, count, c.step);
  gemm_batched(exec, count, size, alpha, {reinterpret_cast<float**>(of_a.data()), a.stride, a.transposed},
               {reinterpret_cast<float**>(of_b.data()), b.stride, b.transposed}, beta,
               {reinterpret_cast<float**>(of_c.data()), c.stride});
  exec.fence();  // the lists are freed when this function returns
}

void check(Product product, Case const& s, bool transpose_a, bool transpose_b, float alpha, float beta) {
  SCOPED_TRACE(testing::Message() << s.count << " x " << s.rows << " x " << s.columns << " x " << s.inner
                                  << " " << transpose_a << transpose_b << " alpha " << alpha << " beta "
                                  << beta);
  const Operand a(s.count, s.rows, s.inner, transpose_a, 1);
  const Operand b(s.count, s.inner, s.columns, transpose_b, 2);
  const auto before = numbers(static_cast<std::size_t>(s.count * s.rows * s.columns), 3);
  const Floats out = beta == 0 ? poisoned(before.size()) : to_space(before);
  const Floats a_data = to_space(a.values), b_data = to_space(b.values);
  product(Space(), s.count, {s.rows, s.columns, s.inner}, alpha, a.matrix(a_data), b.matrix(b_data), beta,
          {out.data(), s.columns, s.rows * s.columns});
  Space().fence();
  EXPECT_LT(reference::relative_error(to_host(out), expected(s, a, b, static_cast<double>(alpha),
                                                             static_cast<double>(beta), before)),
            2e-6);
}

struct Factors {
  float alpha, beta;
};

// A step uses {1, 0}. It uses {1, 1} if a product is added to a bias or to earlier gradients. For few tokens
// gemm_skinny.hpp has an implementation for each of these two pairs.
constexpr Factors factors[] = {{1, 0}, {0.5F, 0}, {1, 1}, {0.5F, 0.25F}};

void check_all(Product product, bool batched) {
  for (auto const& s : cases)
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true})
        for (auto const [alpha, beta] : factors)
          if (batched || s.count == 1) check(product, s, transpose_a, transpose_b, alpha, beta);
}

TEST(Gemm, MatchesTheReference) {
  check_all(one_product, false);
}
TEST(Gemm, BatchedMatchesTheReference) {
  check_all(gemm_strided_batched, true);
}
TEST(Gemm, WithAddressListsMatchesTheReference) {
  check_all(listed_products, true);
}
TEST(Gemm, PlainMatchesTheReference) {
  check_all(gemm_plain, true);
}
TEST(Gemm, BackendNameEndsWithTf32OnADeviceOnly) {
  EXPECT_FALSE(gemm_backend().empty());
  EXPECT_EQ(on_device, gemm_backend().ends_with("TF32")) << gemm_backend();
}

/// Returns the relative error of a product. Its operands have up to 22 significant bits, more than TF32 and
/// bf16 keep.
double error_at(MatrixPrecision precision) {
  set_matrix_precision(precision);
  const Case size{1, 512, 512, 512};  // with aligned rows, which tensor cores need
  const Operand a(1, size.rows, size.inner, false, 1, 0), b(1, size.inner, size.columns, false, 2, 0);
  const Floats a_data = to_space(a.values), b_data = to_space(b.values);
  const Floats out = poisoned(static_cast<std::size_t>(size.rows * size.columns));
  gemm(Space(), {size.rows, size.columns, size.inner}, 1, a.matrix(a_data), b.matrix(b_data), 0,
       {out.data(), size.columns});
  Space().fence();
  set_matrix_precision(MatrixPrecision::fp32);
  return reference::relative_error(to_host(out), expected(size, a, b, 1, 0, std::vector<double>(out.size())));
}

TEST(Gemm, Fp32KeepsAllBitsTf32RoundsToTenAndBf16ToSeven) {
  EXPECT_LT(error_at(MatrixPrecision::fp32), 2e-6);
  if (!on_device) {
    EXPECT_THROW(set_matrix_precision(MatrixPrecision::tf32), std::invalid_argument);
    EXPECT_THROW(set_matrix_precision(MatrixPrecision::bf16), std::invalid_argument);
  } else {
    const double tf32 = error_at(MatrixPrecision::tf32), bf16 = error_at(MatrixPrecision::bf16);
    std::printf("relative error: TF32 %.2g, bf16 %.2g\n", tf32, bf16);
    EXPECT_GT(tf32, 1e-5);
    EXPECT_LT(tf32, 1e-2);
    EXPECT_GT(bf16, 3 * tf32);  // bf16 keeps three bits fewer, so the error is about eight times as large
    EXPECT_LT(bf16, 2e-2);
  }
}

/// Rounds every element to bf16, so that a product in bf16 loses nothing.
void round_values(Operand& m) {
  for (double& value : m.values) value = static_cast<double>(from_bf16(to_bf16(static_cast<float>(value))));
}

/// Compares a product in bf16 with the product, in double, of operands that were rounded to bf16 before. Rows
/// may have any alignment. If `keeps_b` is true, keep_rounded() rounds b before the product.
void check_in_bf16(Case const& s, bool transpose_a, bool transpose_b, bool keeps_b) {
  SCOPED_TRACE(testing::Message() << s.rows << " x " << s.columns << " x " << s.inner << " " << transpose_a
                                  << transpose_b << keeps_b);
  Operand a(1, s.rows, s.inner, transpose_a, 1), b(1, s.inner, s.columns, transpose_b, 2);
  const Floats a_data = to_space(a.values), b_data = to_space(b.values);
  const auto before = numbers(static_cast<std::size_t>(s.rows * s.columns), 3);
  const Floats out = to_space(before);
  const Space exec;
  Matrix right = b.matrix(b_data);
  if (keeps_b) right = keep_rounded(exec, b.rows, b.columns, right);
  gemm(exec, {s.rows, s.columns, s.inner}, 0.5F, a.matrix(a_data), right, 0.25F, {out.data(), s.columns});
  exec.fence();
  round_values(a);
  round_values(b);
  EXPECT_LT(reference::relative_error(to_host(out), expected(s, a, b, 0.5, 0.25, before)), 2e-6);
}

TEST(Gemm, InBf16RoundsEachOperandToTheNearest) {
  if (!on_device) GTEST_SKIP() << "products run in bf16 on devices only";
  set_matrix_precision(MatrixPrecision::bf16);
  for (auto const& s : cases)
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true})
        for (const bool keeps_b : {false, true})
          if (s.count == 1) check_in_bf16(s, transpose_a, transpose_b, keeps_b);
  set_matrix_precision(MatrixPrecision::fp32);
}

}  // namespace
}  // namespace ddproxy::kernels
