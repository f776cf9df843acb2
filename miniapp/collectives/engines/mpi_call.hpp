// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "miniapp/collectives/engines/wire.hpp"

namespace ddproxy {

/// A collective, a send or a receive on its way through MPI, piece by piece: each piece is packed for the
/// wire when it leaves, and unpacked as it arrives. One at a time; several objects are on their way together.
class MpiCall {
 public:
  /// `communicator` and `memory` outlive the object; the others as MpiWire() has them.
  MpiCall(MPI_Comm communicator, float* memory, WireFormat wire, std::size_t piece_elements, GroupPlace place,
          Scale scale)
      : communicator_(communicator), memory_(memory), wire_(wire, piece_elements, place, scale) {}

  /// Begins a call; the one before is over. `tag` is for a send or a receive: the same at both ranks. Throws
  /// as check_call() and check_mpi() do.
  void begin(CollectiveCall const& call, bool blocking, int tag);
  /// Makes progress; true when the call is over. With the blocking function it carries out one piece.
  bool test();
  /// Whether MPI still works on a piece.
  bool is_open() const { return request_ != MPI_REQUEST_NULL; }
  /// Elements that MPI was given, by all calls.
  ElementsByVerb const& elements_handed_over() const { return elements_; }
  int element_bytes() const { return wire_.element_bytes(); }
  char const* wire_name() const { return wire_.name(); }

 private:
  MpiMessage pack_piece();
  void start_piece();
  void finish_piece();

  MPI_Comm communicator_;
  float* memory_;
  MpiWire wire_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool blocking_ = false;
  int tag_ = 0;
  CallPieces pieces_;      // of the call on its way
  std::size_t piece_ = 0;  // on its way; with the blocking function the next one
  ElementsByVerb elements_;
};

}  // namespace ddproxy
