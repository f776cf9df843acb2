// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddproxy {

/// Selects the call with which MPI reduces, by message size: MPI_Allreduce, which blocks, or MPI_Iallreduce.
/// If one rank makes the blocking and another rank the nonblocking call, MPI does not match them. So all
/// ranks need the same table. For other kinds of collectives the table selects between their two calls in the
/// same way.
class CallTable {
 public:
  /// A range of message sizes that take the same call. It begins at `from` bytes, and ends below the `from`
  /// of the next range.
  struct Range {
    std::int64_t from;
    bool blocking;
    bool operator==(Range const&) const = default;
  };

  /// Selects the nonblocking call for every size.
  CallTable() : CallTable(false) {}
  /// Selects the same call for every size.
  explicit CallTable(bool blocking) : ranges_{{0, blocking}} {}
  /// Selects the blocking call for messages near bytes[i] if blocking[i] is true. The sizes in `bytes` must
  /// rise. Between two sizes the call changes at their geometric mean. Throws std::invalid_argument if there
  /// are no sizes, or if the lists have different lengths.
  CallTable(std::vector<std::int64_t> const& bytes, std::vector<bool> const& blocking);

  /// Returns whether a message of `bytes` bytes on the wire takes the blocking call.
  bool blocking(std::int64_t bytes) const;
  /// Returns whether any size takes the blocking call.
  bool ever_blocking() const;
  /// Returns "blocking", "nonblocking", or for instance "nonblocking below 65536 bytes, blocking from 65536
  /// bytes on".
  std::string description() const;
  std::vector<Range> const& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;  // rising; the first begins at 0
};

}  // namespace ddproxy
