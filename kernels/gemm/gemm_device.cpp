// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/base/foreign_call.hpp"
#include "kernels/gemm/device_blas.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/rounded_operands.hpp"
#include "kernels/sizes/scratch.hpp"

namespace ddproxy::kernels {
namespace {

void check(blas::Status status, char const* what) {
  if (status != blas::success)
    throw std::runtime_error(std::string(blas::name) + ": " + what +
                             " failed: " + blas::status_string(status));
}

/// The handle of the BLAS library. One thread may use it at a time. The handle is created at first use. A
/// hook destroys it when Kokkos ends, because the destructor of a static object would run after the device is
/// gone.
class Library {
 public:
  MatrixPrecision precision = MatrixPrecision::fp32;
  RoundedOperands rounded;

  blas::Compute compute() const {
    if (precision == MatrixPrecision::fp32) return blas::compute_fp32;
    return precision == MatrixPrecision::tf32 ? blas::compute_tf32 : blas::compute_bf16;
  }

  /// Returns the handle, set to the stream of `exec`. Products that are enqueued with it run on that stream.
  blas::Handle on(Space const& exec) {
    const auto stream = blas::stream_of(exec);
    if (handle() && has_stream_ && stream == stream_) return handle_;
    check(blas::set_stream(handle_, stream), "setting the stream");
    stream_ = stream;
    has_stream_ = true;
    return handle_;
  }

  blas::Handle handle() {
    if (handle_) return handle_;
    const ForeignCall foreign;
    check(blas::create(&handle_), "creating a handle");
    Kokkos::push_finalize_hook([this] {
      rounded.clear();
      blas::destroy(handle_);
      handle_ = nullptr;
      has_stream_ = false;
    });
    return handle_;
  }

 private:
  blas::Handle handle_ = nullptr;
  decltype(blas::stream_of(Space())) stream_ = nullptr;
  bool has_stream_ = false;
};

Library library;

template <class Operand>
blas::Operation operation(Operand const& m) {
  return m.transposed ? blas::transpose : blas::no_transpose;
}

int dimension(Index n) {
  return static_cast<int>(n);
}

/// Returns a rounded copy of an operand. op(m) is [rows, columns].
RoundedOperands::Copy rounded_copy(Space const& exec, RoundedOperands::Slot slot, Index rows, Index columns,
                                   Matrix const& m) {
  if (m.is_kept) return library.rounded.last(RoundedOperands::kept);
  if (m.transposed) std::swap(rows, columns);
  return library.rounded.round(exec, slot, rows, columns, m);
}

blas::Status gemm_of_rounded(Space const& exec, GemmSize size, float alpha, Matrix const& a, Matrix const& b,
                             float beta, Result c) {
  const auto left = rounded_copy(exec, RoundedOperands::left, size.rows, size.inner, a);
  const auto right = rounded_copy(exec, RoundedOperands::right, size.inner, size.columns, b);
  const ForeignCall foreign;
  return blas::gemm_of_bf16(library.on(exec), operation(b), operation(a), dimension(size.columns),
                            dimension(size.rows), dimension(padded_for_bf16(size.inner)), &alpha, right.data,
                            dimension(right.stride), left.data, dimension(left.stride), &beta, c.data,
                            dimension(c.stride));
}

}  // namespace

// The library is column-major: it reads a row-major X [r, c] in memory as X^T [c, r], whose leading dimension
// is the row stride of X. The calls below therefore compute C^T = op(B)^T op(A)^T, because a column-major C^T
// has its elements in the same order as a row-major C. The library reads each operand as its transpose, and
// the product needs the transpose of each operand. So each operand keeps its transposed flag. Only the order
// of the operands changes, and rows and columns are exchanged.

void gemm(Space const& exec, GemmSize size, float alpha, Matrix a, Matrix b, float beta, Result c) {
  if (library.precision == MatrixPrecision::bf16)
    return check(gemm_of_rounded(exec, size, alpha, a, b, beta, c), "a matrix product");
  const ForeignCall foreign;
  check(blas::gemm(library.on(exec), operation(b), operation(a), dimension(size.columns),
                   dimension(size.rows), dimension(size.inner), &alpha, b.data, dimension(b.stride), a.data,
                   dimension(a.stride), &beta, c.data, dimension(c.stride), library.compute()),
        "a matrix product");
}

void gemm_strided_batched(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b,
                          float beta, Result c) {
  const ForeignCall foreign;
  check(blas::gemm_strided_batched(library.on(exec), operation(b), operation(a), dimension(size.columns),
                                   dimension(size.rows), dimension(size.inner), &alpha, b.data,
                                   dimension(b.stride), b.step, a.data, dimension(a.stride), a.step, &beta,
                                   c.data, dimension(c.stride), c.step, dimension(count), library.compute()),
        "a batch of matrix products");
}

void gemm_batched(Space const& exec, Index count, GemmSize size, float alpha, MatrixList a, MatrixList b,
                  float beta, ResultList c) {
  const ForeignCall foreign;
  check(blas::gemm_batched(library.on(exec), operation(b), operation(a), dimension(size.columns),
                           dimension(size.rows), dimension(size.inner), &alpha, b.data, dimension(b.stride),
                           a.data, dimension(a.stride), &beta, c.data, dimension(c.stride), dimension(count),
                           library.compute()),
        "a batch of matrix products");
}

void set_matrix_precision(MatrixPrecision precision) {
  library.precision = precision;
}

MatrixPrecision matrix_precision() {
  return library.precision;
}

Matrix keep_rounded(Space const& exec, Index rows, Index columns, Matrix m) {
  if (library.precision != MatrixPrecision::bf16) return m;
  library.rounded.round(exec, RoundedOperands::kept, rows, columns, m);
  m.is_kept = true;
  return m;
}

Bf16* memory_of_kept(Space const& exec, Index rows, Index columns) {
  const bool padded = padded_for_bf16(rows) != rows || padded_for_bf16(columns) != columns;
  if (padded || library.precision != MatrixPrecision::bf16) return nullptr;
  return library.rounded.reserve(exec, RoundedOperands::kept, rows, columns);
}

std::string gemm_backend() {
  int number = 0;  // 10000 major + 100 minor + patch
  check(blas::version(library.handle(), &number), "asking for the version");
  const std::string version = std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) +
                              "." + std::to_string(number % 100);
  constexpr char const* words[] = {"fp32 without TF32", "TF32", "bf16"};
  return std::string(blas::name) + " " + version + ", " + words[static_cast<int>(library.precision)];
}

std::string gemm_advice() {
  return {};
}

std::string gemm_core_type() {
  return {};
}

}  // namespace ddproxy::kernels
