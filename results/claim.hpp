// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy::results {

/// The lock of a file that is being written, HDF5's own kind (flock), so that either respects the other's.
/// Empty when moved from; given back with the object, or by the system with the process.
class Claim {
 public:
  Claim() = default;
  explicit Claim(int descriptor) : descriptor_(descriptor) {}  ///< takes over an open file, not locked yet
  Claim(Claim&& other) noexcept;
  Claim& operator=(Claim&& other) noexcept;
  ~Claim();

  bool lock() const;  ///< false where another program has it; true again where it is ours
  bool is_of(std::filesystem::path const& path) const;  ///< the path still leads to this file

 private:
  int descriptor_ = -1;
};

/// Removes what a killed run left at `path`, and keeps others from it until a new file is there and claimed:
/// hold the answer that long. Throws std::invalid_argument where a living program has it open, or it cannot
/// be written; std::runtime_error where the disk is full.
Claim claim_leftover(std::filesystem::path const& path);

/// The claim of a file that HDF5 has open. Throws std::invalid_argument where another program was faster.
Claim claim_open_file(int descriptor, std::filesystem::path const& path);

}  // namespace ddproxy::results
