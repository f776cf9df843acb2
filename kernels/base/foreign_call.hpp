// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::kernels {

/// Throws std::runtime_error with the device library's message if a call of this thread has left an error,
/// for instance the launch of a kernel. Clears the error. Does nothing on a host, and before Kokkos is
/// initialized, because no kernel has been launched then.
void check_launches();

/// Clears the error that a call of this thread has left in the device's library (cudaGetLastError). Some
/// errors cannot be cleared. After such an error the device cannot be used any more. Does nothing on a host.
void forget_foreign_error();

/// Keeps the errors of other libraries apart from those of ddproxy.
///
/// Problem: the launch of a kernel returns no status. An error of the launch is found later, with
/// cudaGetLastError(). MPI, NCCL and cuBLAS call the device's library on the same thread. A call that
/// succeeds may still leave an error there, for instance if it tried a feature that the device lacks. The
/// next check of a launch would find this error and end the run.
///
/// Use: make a ForeignCall directly before a call of such a library. The constructor throws what
/// check_launches() throws, because an error from before the call is ddproxy's own. The destructor forgets
/// the error that the library left. Check the status that the library returns as usual.
class ForeignCall {
 public:
  ForeignCall() { check_launches(); }
  ~ForeignCall() { forget_foreign_error(); }
  ForeignCall(ForeignCall const&) = delete;
  ForeignCall& operator=(ForeignCall const&) = delete;
};

}  // namespace ddproxy::kernels
