// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// A value with its interval. A bound that is not known is NaN or infinite; the function that returns the
/// Estimate says which.
struct Estimate {
  double value, low, high;
  double noise() const { return (high - low) / 2; }  ///< returns the half-width of the interval
};

/// The two bounds of an interval.
struct Band {
  double low = 0;
  double high = 0;
};

}  // namespace ddproxy::model
