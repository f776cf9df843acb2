// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "miniapp/collectives/engines/wire.hpp"

namespace ddproxy {

/// Carries out a collective, a send or a receive with MPI, piece by piece. Each piece is packed for the wire
/// before it is sent, and unpacked when it has arrived.
///
/// Order of calls: begin(), then test() until it returns true. One object carries out one call at a time;
/// several objects can have a call in flight at the same time.
class MpiCall {
 public:
  /// `communicator` and `memory` must outlive the object. The other arguments are those of MpiWire.
  MpiCall(MPI_Comm communicator, float* memory, WireFormat wire, std::size_t piece_elements, GroupPlace place,
          Scale scale)
      : communicator_(communicator), memory_(memory), wire_(wire, piece_elements, place, scale) {}

  /// Begins a call; the previous one must be done. `blocking` selects MPI's blocking function, which test()
  /// calls. `tag` is used by a send and a receive; it must be the same on both ranks. Throws as
  /// MpiWire::cut() and check_mpi().
  void begin(CollectiveCall const& call, bool blocking, int tag);
  /// Makes progress and returns whether the call is done. With the blocking function, carries out one piece.
  /// Throws as check_mpi().
  bool test();
  /// Returns whether MPI still works on a piece.
  bool is_open() const { return request_ != MPI_REQUEST_NULL; }
  /// Returns the elements that all calls so far handed to MPI.
  ElementsByVerb const& elements_handed_over() const { return elements_; }
  int element_bytes() const { return wire_.element_bytes(); }
  char const* wire_name() const { return wire_.name(); }

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
