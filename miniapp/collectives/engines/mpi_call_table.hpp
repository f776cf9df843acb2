// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddproxy {

/// Selects the MPI call that reduces, by message size: MPI_Allreduce, which blocks, or MPI_Iallreduce. If one
/// rank makes the blocking and another rank the nonblocking MPI call, MPI does not match them. So all ranks
/// need the same table. For other kinds of collectives the table selects between their two MPI calls in the
/// same way.
class MpiCallTable {
 public:
  /// A range of message sizes that take the same MPI call. It begins at `from` bytes, and ends below the
  /// `from` of the next range.
  struct Range {
    std::int64_t from;
    bool blocking;
    bool operator==(Range const&) const = default;
  };

  /// Selects the nonblocking MPI call for every size.
  MpiCallTable() : MpiCallTable(false) {}
  /// Selects the same MPI call for every size.
  explicit MpiCallTable(bool blocking) : ranges_{{0, blocking}} {}
  /// Selects the blocking MPI call for messages near bytes[i] if blocking[i] is true. The sizes in `bytes`
  /// must rise. Between two sizes the MPI call changes at their geometric mean. Throws std::invalid_argument
  /// if there are no sizes, or if the lists have different lengths.
  MpiCallTable(std::vector<std::int64_t> const& bytes, std::vector<bool> const& blocking);

  /// Returns whether a message of `bytes` bytes on the wire takes the blocking MPI call.
  bool blocking(std::int64_t bytes) const;
  /// Returns whether any size takes the blocking MPI call.
  bool ever_blocking() const;
  /// Returns "blocking", "nonblocking", or for instance "nonblocking below 65536 bytes, blocking from 65536
  /// bytes on".
  std::string description() const;
  std::vector<Range> const& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;  // rising; the first begins at 0
};

}  // namespace ddproxy
