// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ddproxy::model {

/// Speeds of compute and of a collective while they share the machine, relative to running alone (1: as fast
/// as alone).
struct Speeds {
  double kappa = 1.0;  ///< speed of compute while a collective is in flight, in (0, 1]
  double gamma = 1.0;  ///< speed of the collective while compute runs, in (0, 1]
};

/// Speeds for collectives of one size.
struct SpeedPoint {
  std::int64_t bytes;
  Speeds speeds;
};

/// Measured speeds for collectives of one size.
struct SpeedSamples {
  std::int64_t bytes;
  std::vector<Speeds> samples;
};

/// kappa and gamma as functions of the collective's bytes. The size matters. The time of a small message is
/// mostly latency: the message waits for a processor or a slot on the device. A large message shares memory
/// and links with compute. So gamma of a small message can be several times larger or smaller than gamma of a
/// large message. Between two sizes of a table, kappa and gamma are interpolated linearly in log(bytes).
/// Beyond the ends of the table they are constant.
///
/// The constructors throw std::invalid_argument for a speed outside (0, 1]. The table's constructor also
/// throws this error for an empty table and for bytes that are not positive or do not rise.
class Contention {
 public:
  Contention() = default;                  ///< no contention
  Contention(double kappa, double gamma);  ///< the same speeds for all sizes
  explicit Contention(std::vector<SpeedPoint> table);

  /// Returns kappa and gamma for a collective of `bytes` bytes.
  Speeds operator()(std::int64_t bytes) const;
  Speeds fastest() const;  ///< returns the highest kappa and the highest gamma over all sizes
  bool none() const { return rows_.empty(); }

 private:
  struct Row {
    double log_bytes;
    Speeds speeds;
  };
  std::vector<Row> rows_;  // one row: used for all sizes; no row: no contention
};

/// Returns the median of kappa and the median of gamma over the samples. Throws std::invalid_argument if
/// there is no sample.
Speeds median_speeds(std::vector<Speeds> const& samples);

/// Returns the median speeds of each size as a table. Returns no contention if there are no sizes. Throws
/// what median_speeds() and the constructor throw.
Contention contention_of(std::vector<SpeedSamples> const& sizes);

}  // namespace ddproxy::model
