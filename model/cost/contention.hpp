// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ddproxy::model {

/// How fast compute and a collective are while they share the machine; 1: as fast as alone.
struct Speeds {
  double kappa = 1.0;  ///< of compute while a collective is in flight, in (0, 1]
  double gamma = 1.0;  ///< of the collective while compute runs, in (0, 1]
};

/// Speeds beside collectives of one size.
struct SpeedPoint {
  std::int64_t bytes;
  Speeds speeds;
};

/// Measured speeds beside collectives of one size.
struct SpeedSamples {
  std::int64_t bytes;
  std::vector<Speeds> samples;
};

/// kappa and gamma as functions of the collective's bytes. A small message is mostly latency, which waits for
/// a processor or a place on the device; a large one shares memory and links: gamma may differ several times.
/// Between the sizes of a table both are linear in log(bytes), beyond its ends constant.
class Contention {
 public:
  Contention() = default;                  ///< none
  Contention(double kappa, double gamma);  ///< the same for all sizes
  explicit Contention(std::vector<SpeedPoint> table);
  // All throw std::invalid_argument for a speed outside (0, 1]; the table for no row, and for bytes that are
  // not positive or do not rise.

  Speeds operator()(std::int64_t bytes) const;
  Speeds fastest() const;  ///< the highest kappa and the highest gamma of any size
  bool none() const { return rows_.empty(); }

 private:
  struct Row {
    double log_bytes;
    Speeds speeds;
  };
  std::vector<Row> rows_;  // one row alone: for all sizes; none: no contention
};

/// The median of kappa, and that of gamma. Throws std::invalid_argument where there is no sample.
Speeds median_speeds(std::vector<Speeds> const& samples);

/// That of each size; none without sizes.
Contention contention_of(std::vector<SpeedSamples> const& sizes);

}  // namespace ddproxy::model
