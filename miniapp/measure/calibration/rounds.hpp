// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy {

/// Returns the number of rounds of a calibration that takes `samples` passes without communication:
/// `samples`, but at least three and at most six. A round of the calibration takes a share of the samples of
/// everything that the calibration measures.
int calibration_rounds(int samples);

/// Returns how many of the rounds of a calibration run before the cases are verified. The other rounds run
/// directly before the sweep. So the samples cover most of the minutes before the sweep (docs/model.md, "When
/// the tables are measured").
int opening_rounds(int rounds);

/// Returns how many of `samples` samples belong to round `round` (from 0) of `rounds`. The samples are spread
/// evenly, and the first round has at least one.
int samples_of_round(int samples, int round, int rounds);

}  // namespace ddproxy
