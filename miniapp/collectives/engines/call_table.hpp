// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddproxy {

/// Says by which call MPI reduces a message: MPI_Allreduce, which blocks, or MPI_Iallreduce. MPI does not
/// match one with the other, so all ranks have the same table.
class CallTable {
 public:
  /// Messages of at least `from` bytes, up to the next range.
  struct Range {
    std::int64_t from;
    bool blocking;
    bool operator==(Range const&) const = default;
  };

  /// The same call for every size.
  CallTable() : CallTable(false) {}
  explicit CallTable(bool blocking) : ranges_{{0, blocking}} {}
  /// `blocking[i]` is what is best at `bytes[i]`, which ascend; a call changes half-way between two sizes, on
  /// a logarithmic scale. Throws std::invalid_argument where there are no sizes, or not as many of both.
  CallTable(std::vector<std::int64_t> const& bytes, std::vector<bool> const& blocking);

  bool blocking(std::int64_t bytes) const;
  /// Whether any size goes by the blocking call.
  bool ever_blocking() const;
  /// "blocking", "nonblocking", or for instance "nonblocking, blocking from 65536 bytes".
  std::string description() const;
  std::vector<Range> const& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;  // ascending; the first is from 0
};

}  // namespace ddproxy
