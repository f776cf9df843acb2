// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "miniapp/collectives/engines/wire.hpp"

namespace ddproxy {

/// Carries out a collective, a send or a receive with MPI, piece by piece. Each piece is converted to the
/// wire format before it is sent, and converted back when it has arrived (MpiWire).
///
/// Order of calls: begin(), then test() until it returns true. One object carries out one collective at a
/// time; several objects can have a collective in flight at the same time.
class MpiCollective {
 public:
  /// Allocates the buffers. `communicator` and `memory` must outlive this object. The other arguments are
  /// those of MpiWire (wire.hpp).
  MpiCollective(MPI_Comm communicator, float* memory, WireFormat wire, std::size_t piece_elements,
                GroupPlace place, Scale scale)
      : communicator_(communicator), memory_(memory), wire_(wire, piece_elements, place, scale) {}

  /// Begins a collective; the previous one must be done. `blocking` selects the blocking MPI call, which
  /// test() then makes. `tag` is the tag of a send or a receive, and must be the same on both ranks. Throws
  /// as MpiWire::cut() (wire.hpp) and check_mpi() (miniapp/errors/errors.hpp) do.
  void begin(CollectiveCall const& call, bool blocking, int tag);
  /// Makes progress and returns whether the collective is done. With the blocking MPI call, carries out one
  /// piece and waits for it. Throws as check_mpi() does.
  bool test();
  /// Returns whether a nonblocking MPI call is in flight.
  bool is_open() const { return request_ != MPI_REQUEST_NULL || exchange_.is_open(); }
  /// Returns the number of elements that all collectives so far handed to MPI.
  ElementsByVerb const& elements_handed_over() const { return elements_; }
  int element_bytes(CollectiveCall const& call) const { return wire_.element_bytes(call); }
  std::string_view wire_name() const { return wire_.name(); }

 private:
  MpiMessage pack_piece();
  void start_piece();
  void wait_for_piece();
  bool test_piece();
  void finish_piece();

  MPI_Comm communicator_;
  float* memory_;
  MpiWire wire_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  AverageExchange exchange_;
  bool exchanging_ = false;  // the piece in flight is averaged by exchange_; without the blocking function
  bool blocking_ = false;
  int tag_ = 0;
  CallPieces pieces_;      // of the collective in flight
  std::size_t piece_ = 0;  // index of the piece in flight; with the blocking MPI call, of the next piece
  ElementsByVerb elements_;
};

}  // namespace ddproxy
