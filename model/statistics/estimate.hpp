// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// A value with its interval. An end that is not known is NaN; one that too few values leave open is
/// infinite.
struct Estimate {
  double value, low, high;
  double noise() const { return (high - low) / 2; }  ///< half-width of the interval
};

}  // namespace ddproxy::model
