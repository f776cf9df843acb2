// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace ddproxy {

/// Returns whether two ranks should average a message of `count` floats with an AverageExchange. The
/// alternative is MPI_Allreduce or MPI_Iallreduce with a user-defined operation that averages. The answer is
/// yes for more than 8 KiB, if the MPI library is MPICH or is derived from it. Reason, measured on two cores
/// (docs/measurements/collectives.md): with MPICH, the blocking exchange takes 0.58 to 0.96 times as long as
/// MPI_Allreduce with MPI_SUM. The user-defined operation takes up to 1.55 times as long as MPI_SUM. With
/// Open MPI, the exchange and the user-defined operation take the same time.
bool exchange_is_faster(int count);

/// Averages a message over the two ranks of a communicator with sends and receives.
///
/// Each rank averages one half of the elements and sends the result to the other rank. So both ranks get the
/// same numbers to the last bit. MPI_SUM and a division by two would give the same numbers, too.
///
/// Order of calls: begin(), then either test() until it returns true, or wait(). Both ranks must exchange the
/// same messages of `count` floats in the same order. The methods throw as check_mpi()
/// (miniapp/errors/errors.hpp) does.
class AverageExchange {
 public:
  /// Begins to assign the average to values[0 .. count). Overwrites `scratch` [(count + 1) / 2]. The previous
  /// exchange of this object must be done. `values` and `scratch` must live until this one is done.
  void begin(float* values, int count, float* scratch, MPI_Comm communicator);
  /// Makes progress and returns whether the average is complete. Does not block.
  bool test();
  /// Waits until the average is complete.
  void wait();
  /// Returns whether a message is in flight.
  bool is_open() const;

 private:
  struct Part {
    float* values = nullptr;
    int count = 0;
  };
  void exchange(Part send, Part receive);
  bool go_on();
  void check(int status) const;

  Part own_, other_;  // the half that this rank averages, and the half that the other rank averages
  float* scratch_ = nullptr;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int peer_ = 0;
  bool averaged_ = false;  // own_ is averaged, and the averages are in flight
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses_[2] = {};
};

}  // namespace ddproxy
