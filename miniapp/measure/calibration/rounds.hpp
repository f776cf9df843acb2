// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy {

/// The rounds of a calibration that takes `samples` passes alone: as many, at least three, at most six.
int calibration_rounds(int samples);

/// The rounds before the cases are verified. The others run directly before the sweep, so that the samples
/// cover as many of the minutes before it as they can (docs/model.md, "When the tables are measured").
int opening_rounds(int rounds);

/// How many of `samples` samples belong to round `round` (from 0) of `rounds`. They are spread evenly, and
/// the first round has one at least.
int samples_of_round(int samples, int round, int rounds);

}  // namespace ddproxy
