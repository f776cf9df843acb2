// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "miniapp/collectives/engines/wire.hpp"

namespace ddproxy {

/// Carries out a collective, a send or a receive with MPI, piece by piece. Each piece is converted to the
/// wire format before it is sent, and converted back when it has arrived (MpiWire).
///
/// Order of calls: begin(), then test() until it returns true. One object carries out one call at a time;
/// several objects can have a call in flight at the same time.
class MpiCall {
 public:
  /// Allocates the buffers. `communicator` and `memory` must outlive this object. The other arguments are
  /// those of MpiWire (wire.hpp).
  MpiCall(MPI_Comm communicator, float* memory, WireFormat wire, std::size_t piece_elements, GroupPlace place,
          Scale scale)
      : communicator_(communicator), memory_(memory), wire_(wire, piece_elements, place, scale) {}

  /// Begins a call; the previous one must be done. `blocking` selects MPI's blocking function, which test()
  /// then calls. `tag` is the tag of a send or a receive, and must be the same on both ranks. Throws as
  /// MpiWire::cut() (wire.hpp) and check_mpi() (miniapp/errors/errors.hpp) do.
  void begin(CollectiveCall const& call, bool blocking, int tag);
  /// Makes progress and returns whether the call is done. With the blocking function, carries out one piece
  /// and waits for it. Throws as check_mpi() does.
  bool test();
  /// Returns whether a nonblocking call of MPI is in flight.
  bool is_open() const { return request_ != MPI_REQUEST_NULL; }
  /// Returns the number of elements that all calls so far handed to MPI.
  ElementsByVerb const& elements_handed_over() const { return elements_; }
  int element_bytes(CollectiveCall const& call) const { return wire_.element_bytes(call); }
  std::string_view wire_name() const { return wire_.name(); }

 private:
  MpiMessage pack_piece();
  void start_piece();
  void wait_for_piece();
  void finish_piece();

  MPI_Comm communicator_;
  float* memory_;
  MpiWire wire_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool blocking_ = false;
  int tag_ = 0;
  CallPieces pieces_;      // of the call in flight
  std::size_t piece_ = 0;  // index of the piece in flight; with the blocking function, of the next piece
  ElementsByVerb elements_;
};

}  // namespace ddproxy
